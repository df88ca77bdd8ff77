"""Goes through everything that may happen at a grid barrier."""

from barrier_machine import Machine
from barrier_reduction import ReducedMachine
from barrier_state import Setup, State
from search import Finding, search


def explore(setup: Setup, *, is_reduced: bool = True) -> Finding[State]:
    """
    All states that can be reached, or all up to the first that must not be.

    Example: `explore(Setup(grid_barrier_steps(has_traps=False), blocks=2)).broken is None`
    """
    machine = Machine(setup)
    return search(ReducedMachine(machine) if is_reduced else machine)
