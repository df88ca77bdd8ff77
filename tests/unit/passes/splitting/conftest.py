"""Every test of splitting runs its program as it is written, and split."""

import pytest
from split_cases import Way


@pytest.fixture(params=["as_written", "after_split"])
def behaves(request: pytest.FixtureRequest) -> Way:
    return Way(request.param)
