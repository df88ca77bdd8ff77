"""The ways to run a program, as one: whichever is taken, the results must be the same."""

from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from split_cases import Inputs, Results, as_arrays

from vyre.runtime.executable import Executable
from vyre.runtime.passes import Report

Entry: TypeAlias = Literal["call", "into", "bind", "resident"]
ENTRIES: tuple[Entry, ...] = get_args(Entry)


def dispatch(
    exe: Executable, entry: Entry, inputs: Inputs, **options: Any
) -> tuple[Results, Report]:
    """Run the program on copies of the inputs: all results, and what was done."""
    given: dict[str, Any] = {
        name: value.copy() if isinstance(value, np.ndarray) else value
        for name, value in as_arrays(inputs).items()
    }
    match entry:
        case "call":
            results, report = exe.timed(given, **options)
        case "into":
            storage = {name: np.empty_like(a) for name, a in exe(given, **options).items()}
            results, report = exe.timed(given, into=storage, **options)
            assert all(results[name] is storage[name] for name in results)
        case "bind":
            with exe.bind(given, **options) as bound:
                report = bound.run(timed=True)
                results = bound.results
        case "resident":
            with exe.resident(given, **options) as held:
                report = held.run(timed=True)
                results = {b.name: held.read(b.name) for b in exe.bindings.written}
    return results, report
