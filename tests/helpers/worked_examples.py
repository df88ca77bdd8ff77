"""
The programs in `examples/`, with inputs and answers.

Each module in `tests/unit/example_cases/` belongs to an example of the same name. It has
`SIZES`, `inputs(rng, size)` and `expected(inputs)`; and, if it needs to say more,
`TOLERANCE` (for floats that depend on the order of summation), `grid(inputs, groups)` (for
grids that are not one-dimensional), `CHECK_SIZE` (for tests that run it often) and `PASSES`
(if the answer takes more than one).
"""

import importlib.util
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np

ROOT = Path(__file__).parents[2]
_ALL = sorted((ROOT / "examples").glob("*.mlir"))
MEGAKERNELS = [path for path in _ALL if "vyre.megakernel" in path.read_text()]
"""Examples whose waves are to be fused; the others are programs as they are."""
EXAMPLES = [path for path in _ALL if path not in MEGAKERNELS]


def case_of(example: Path) -> ModuleType:
    """The module with an example's inputs and answers."""
    path = ROOT / "tests" / "unit" / "example_cases" / f"{example.stem}.py"
    spec = importlib.util.spec_from_file_location(f"example_cases_{example.stem}", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass
class Example:
    """An example with inputs of one size."""

    path: Path
    case: ModuleType
    inputs: dict[str, Any]

    def grid(self, groups: int) -> object:
        chosen = getattr(self.case, "grid", None)
        return groups if chosen is None else chosen(self.inputs, groups)

    @property
    def passes(self) -> int:
        """For `fixpoint_iterations`."""
        return getattr(self.case, "FIXPOINT_ITERATIONS", 1)

    def verify(self, results: dict[str, Any]) -> None:
        """Compare with the answer of the case, exactly unless it says otherwise."""
        tolerance = getattr(self.case, "TOLERANCE", None)
        for name, array in self.case.expected(self.inputs).items():
            if tolerance is None:
                np.testing.assert_array_equal(results[name], array, err_msg=name)
            else:
                np.testing.assert_allclose(
                    results[name], array, rtol=tolerance, atol=tolerance, err_msg=name
                )


def example_of(path: Path, size: int) -> Example:
    """An example with the inputs of a size."""
    case = case_of(path)
    return Example(path, case, case.inputs(np.random.default_rng(size), size))


def fault_size(path: Path) -> int:
    """A size that is large enough to show faults, and quick to run."""
    case = case_of(path)
    return getattr(case, "CHECK_SIZE", case.SIZES[-1])
