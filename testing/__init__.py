"""
For those who write engines: is it right, what is asked of it, and what if it fails?

- `check_backend`, `conformance_cases`: the suite that every engine passes;
  see `vyre.testing.conformance`.
- `RecordingBackend`: an engine that remembers what was asked of it.
- `FaultyBackend`: an engine that fails when it is told to.

Example: `print(vyre.testing.check_backend(MyBackend))`
"""

from vyre.testing.case import Broken, Case, Inapplicable
from vyre.testing.conformance import (
    ConformanceReport,
    Outcome,
    check_backend,
    conformance_cases,
)
from vyre.testing.faults import FaultyBackend
from vyre.testing.recording import RecordingBackend
from vyre.testing.wrapped import WrappedBackend

__all__ = [
    "Broken",
    "Case",
    "ConformanceReport",
    "FaultyBackend",
    "Inapplicable",
    "Outcome",
    "RecordingBackend",
    "WrappedBackend",
    "check_backend",
    "conformance_cases",
]
