"""
The workers of the CPU engine's pool wait for each other and wake each other as they should,
in every order of what they do, and the model finds what is wrong with changed texts. `make
check-pool` goes through more.
"""

import pytest
from pool_faults import Fault, faults
from pool_machine import PoolMachine, Setup
from pool_setups import setups
from search import search

SETUPS = [
    pytest.param(setup, id=name.replace(" ", "-"))
    for name, setup in setups(2)
    if name not in ("threads are roused", "closed meanwhile", "two callers")
]
FAULTS = [pytest.param(fault, id=fault.name.replace(" ", "-")) for fault in faults()]


@pytest.mark.parametrize("setup", SETUPS)
def test_nobody_waits_in_vain(setup: Setup):
    """Nor goes on too early, nor uses a job that is gone."""
    finding = search(PoolMachine(setup))
    assert finding.broken is None
    assert finding.states > 1000


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_found(fault: Fault):
    """Each step is needed, and where it is."""
    assert search(PoolMachine(fault.setup)).broken == fault.broken
