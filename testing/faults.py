"""
An engine that fails when it is told to.

```python
faulty = FaultyBackend(ReferenceBackend())
exe = vyre.compile(file, engine=faulty)
exe(x=array)
for k in range(faulty.calls):
    faulty.arm(k, RuntimeError("broken cable"))
    with pytest.raises(vyre.VyreError):
        exe(x=array)
    assert faulty.live_count == 0
```
"""

from dataclasses import replace

from typing_extensions import override

from vyre.runtime.backend import Backend
from vyre.testing.wrapped import WrappedBackend


class FaultyBackend(WrappedBackend):
    """
    Raises an error at one call of the engine, counted from 0 over calls of every kind, and
    does what the engine inside does at all others. With `for_good` all later calls fail
    too, as on a device that is gone.

    The engine inside does not hear of a call that fails. Memory counts as given back when
    `free` was called, also if that failed: nobody is to try again.

    Example: `FaultyBackend(ReferenceBackend(), fail_at=3, error=MemoryError())`
    """

    name = "faulty"

    def __init__(
        self,
        inner: Backend,
        fail_at: int | None = None,
        error: BaseException | None = None,
        *,
        for_good: bool = False,
    ):
        super().__init__(inner)
        self.capabilities = replace(inner.capabilities, lasting=False)
        self.arm(fail_at, error, for_good=for_good)

    def arm(
        self,
        fail_at: int | None,
        error: BaseException | None = None,
        *,
        for_good: bool = False,
    ) -> None:
        """Count from 0 again, and fail at that call; never if it is None."""
        self.calls = 0
        """How many calls there were."""
        self.failed_in: str | None = None
        """The method that failed first, if one did."""
        self._fail_at = fail_at
        self._error = RuntimeError("told to fail") if error is None else error
        self._for_good = for_good

    @override
    def noted(self, call: str) -> None:
        with self.lock:
            number = self.calls
            self.calls += 1
        if self._fail_at is None or number < self._fail_at:
            return
        if self._for_good or number == self._fail_at:
            self.failed_in = self.failed_in or call
            raise self._error
