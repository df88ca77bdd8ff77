"""
The grid barrier of CUDA kernels keeps its promise in every order and with every delay, and
the model finds what is wrong with others. `make check-barrier` goes through larger grids.
"""

from dataclasses import replace

import pytest
from barrier_faults import Fault, faults
from barrier_machine import Machine
from barrier_search import explore
from barrier_setups import PLAIN, setups
from barrier_state import Setup
from barrier_trace import trace

SIZES = [(2, 1, 3), (2, 2, 2), (3, 1, 2), (4, 1, 1)]
SETUPS = [
    pytest.param(setup, id=f"{blocks}x{threads}-{rounds}-{name}".replace(" ", "-"))
    for blocks, threads, rounds in SIZES
    for name, setup in setups(blocks, threads, rounds)
    if blocks < 4 or "watchdog" not in name  # These take long.
]
SMALL = [setup for sizes in ((2, 1, 2), (2, 2, 1)) for _, setup in setups(*sizes)]
FAULTS = [pytest.param(fault, id=fault.name.replace(" ", "-")) for fault in faults()]


@pytest.mark.parametrize("setup", SETUPS)
def test_promise_is_kept(setup: Setup):
    """In every order and with every delay, with traps, stops and the watchdog."""
    assert explore(setup).broken is None


def test_largest_grid():
    """Eight threads in four blocks meet three times."""
    finding = explore(Setup(PLAIN, blocks=4, block_threads=2, rounds=3))
    assert finding.broken is None
    assert finding.states > 2000


@pytest.mark.parametrize("fault", FAULTS)
def test_fault_is_found(fault: Fault):
    """Each order, each step and each decision is needed."""
    assert explore(fault.setup).broken == fault.broken


@pytest.mark.few(8)
@pytest.mark.parametrize("setup", [fault.setup for fault in faults()] + SMALL)
def test_reduction_hides_nothing(setup: Setup):
    """All states, also those that differ in nothing that matters, give the same verdict."""
    reduced, full = explore(setup), explore(setup, is_reduced=False)
    assert reduced.broken == full.broken
    assert reduced.states <= full.states


def test_one_thread_suffices_to_need_each_fence():
    """Fences are not there for a block's other threads only."""
    fences = [fault for fault in faults() if fault.name.startswith("no Fence")]
    assert len(fences) == 3
    for fault in fences:
        assert explore(replace(fault.setup, block_threads=1)).broken == fault.broken


def test_trace_tells_how_it_comes_about():
    """The way to what goes wrong, one instruction a line."""
    fault = next(fault for fault in faults() if fault.name == "no reset")
    finding = explore(fault.setup, is_reduced=False)
    lines = list(trace(Machine(fault.setup), finding.path))
    arrivals = [line.partition(":")[0] for line in lines if "AtomicAdd" in line]
    assert sorted(arrivals) == [
        f"thread {thread}, round {round}" for thread in (0, 2) for round in (0, 1)
    ]
    assert "Set(now, Word.GENERATION)" in lines[-1]
