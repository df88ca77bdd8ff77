"""The fuzzer finds the mistakes of other splitters, should they come back."""

import mutants
import pytest

SEED = 0
SHOWN_BY = {
    "H1": 0,
    "H2": 14,
    "H3 (loops)": 18,
    "H3 (branches)": 0,
    "H5": 13,
    "H6": 5,
    "H12": 0,
    "H14": 2,
    "H28": 1,
}
"""The first program that shows each (see `make mutants`), where the search starts."""


@pytest.mark.few(3)
@pytest.mark.parametrize("mutant", mutants.MUTANTS)
def test_mutant_is_found(mutant: str):
    found = mutants.first_failure(mutant, SEED, start=SHOWN_BY[mutant])
    assert found is not None
    # The validator may see first what runs would show.
    assert found[1].kind in ("different", "unproved")
