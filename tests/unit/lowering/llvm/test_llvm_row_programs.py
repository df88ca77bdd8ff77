"""Random programs that are inside their buffers for a part of each row only."""

import pytest
from row_soundness import difference


@pytest.mark.few(4)
@pytest.mark.parametrize("seed", range(12))
def test_random_indices_and_guards(seed: int):
    assert difference(seed) is None
