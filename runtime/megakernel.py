"""
Megakernels that stay on the engine: compiled once, with their buffers in place, dispatched
again and again.

```python
megakernel = vyre.Megakernel("rules.mlir", budget=1 << 20)
handles = [megakernel.resident(facts=facts) for facts in batches]
megakernel.dispatch(handles[0])["results"]
megakernel.many(handles)
```

Any program can be one. The waves of a `vyre.megakernel` are planned and fused first. It
runs as it does in a call: with grid barriers where the engine has them and the grid fits,
and else segment by segment on the same resident buffers.
"""

import time
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack
from itertools import count
from os import PathLike
from threading import RLock
from typing import Any, Literal, NamedTuple

from numpy.typing import NDArray
from xdsl.dialects.builtin import ModuleOp

from vyre.diagnostics import VyreError, did_you_mean, kind_of
from vyre.passes.plan_megakernel import PlanMegakernelPass
from vyre.reading import parse
from vyre.runtime.arguments import check_overlaps, zeros
from vyre.runtime.backend import Backend
from vyre.runtime.batch_storage import BatchStorage
from vyre.runtime.config import DispatchConfig, check_choice
from vyre.runtime.device_array import AnyArray
from vyre.runtime.dispatch_statistics import NOTHING_DONE, Statistics
from vyre.runtime.errors import InvalidArgument, is_device_lost, labelled
from vyre.runtime.executable import Executable, check_config, compile
from vyre.runtime.handle import Handle
from vyre.runtime.held import NOTHING
from vyre.runtime.row import Row
from vyre.runtime.runs import Storage
from vyre.runtime.waves import planned

Array = NDArray[Any]
Outputs = Mapping[str, AnyArray]

_pipelines = count(1)


class Observed(NamedTuple):
    """Results of a dispatch, and what it took."""

    results: dict[str, Array]
    statistics: Statistics


class ObservedBatch(NamedTuple):
    """Results of a batch, row by row, and what it took."""

    results: list[dict[str, Array]]
    statistics: Statistics


class Megakernel:
    """
    A program compiled once for an engine, for many dispatches on resident buffers.

    `budget`, `graph`, `readback` and `packing` are those of `vyre-plan-megakernel`.
    `config` says how to dispatch, for example `LaunchGeometry(1024, 256).config()`.
    `reads` names the buffers that dispatches read back, which are all that the program may
    write if it is left out.

    If the device is lost, the program is compiled and the buffers are made anew once, with
    what they held before the dispatch, and it is tried again; not if `recovers` is False.

    | call | what it gives |
    |---|---|
    | `dispatch(handle)` | results by name |
    | `observed(handle)` | results and statistics |
    | `into(handle, outputs)` | statistics; results go to the caller's arrays |
    | `many(handles)` | results of each, by one submission |
    | `many_observed(handles)` | the same, and statistics |
    | `many_into(handles, outputs)` | statistics; results go to the caller's arrays |
    | `many_with_scratch(handles, storage)` | statistics; results go to `storage` |
    | `borrowed(...)` | results and statistics of one dispatch of the caller's arrays |

    It may be used from several threads at once.

    Example: `vyre.Megakernel("rules.mlir", engine="cpu").plan["global_barriers"]`
    """

    def __init__(
        self,
        source: ModuleOp | str | PathLike[str],
        *,
        program: str | None = None,
        engine: str | Backend | Callable[..., None] = "auto",
        config: DispatchConfig | None = None,
        budget: int | None = None,
        graph: int = 0,
        readback: int = 0,
        packing: Literal["in_order", "best"] = "in_order",
        reads: Sequence[str] | None = None,
        recovers: bool = True,
    ):
        check_config(config)
        _check_planning({"budget": budget, "graph": graph, "readback": readback}, packing)
        module = source if isinstance(source, ModuleOp) else parse(source)
        options = PlanMegakernelPass(
            budget=budget, graph=graph, readback=readback, packing=packing
        )
        module, plan = planned(module, program, options)
        self.plan = plan
        """The figures of the plan, if there are waves."""
        self._config = config or DispatchConfig()
        mode = self._config.mode or "auto"
        exe = compile(module, program=program, engine=engine, mode=mode)
        self._reads = _checked_reads(exe, reads)
        self._recovers = recovers
        self.exe = exe
        """The program on its engine; another one after a recovery."""
        self.pipeline_id = next(_pipelines)
        """The number of what is compiled; another one after a recovery."""
        self._recovery = RLock()

    def resident(
        self, arguments: Mapping[str, object] = NOTHING, /, **named: Any
    ) -> Handle:
        """
        Upload the arguments of a program, for many dispatches on them. Outputs are zeros at
        first, and are not cleared between dispatches.

        Example: `megakernel.resident(facts=facts, grid=4)`
        """
        exe = self.exe
        given, config = exe.sorted_out(arguments, self._config, named)
        with labelled(config.label):
            return Handle(self, exe, given, config, self._reads, self._recovers)

    def dispatch(self, handle: Handle) -> dict[str, Array]:
        """
        Run on the buffers of a handle, and read results back.

        Example: `megakernel.dispatch(handle)["results"]`
        """
        return self.observed(handle).results

    def observed(self, handle: Handle) -> Observed:
        """
        Run on the buffers of a handle, and tell what it took.

        Example: `results, statistics = megakernel.observed(handle)`
        """
        self._check([handle])
        results = _new_arrays(handle.row)
        return Observed(results, self._run([handle], [results], "moved"))

    def into(self, handle: Handle, outputs: Mapping[str, object]) -> Statistics:
        """
        Run on the buffers of a handle, and read only those results back that there are
        arrays for. Nothing is allocated.

        Example: `megakernel.into(handle, {"results": array}).latency_ns`
        """
        self._check([handle])
        return self._run([handle], [handle.outputs(outputs)], "reused")

    def many(self, handles: Sequence[Handle]) -> list[dict[str, Array]]:
        """
        Run on the buffers of each handle, by one submission.

        Example: `[row["results"] for row in megakernel.many(handles)]`
        """
        return self.many_observed(handles).results

    def many_observed(self, handles: Sequence[Handle]) -> ObservedBatch:
        """
        Run on the buffers of each handle, and tell what it took.

        Example: `megakernel.many_observed(handles).statistics.kernel_launches` is 1.
        """
        self._check(handles)
        results = [_new_arrays(handle.row) for handle in handles]
        return ObservedBatch(results, self._run(handles, results, "moved"))

    def many_into(
        self, handles: Sequence[Handle], outputs: Sequence[Mapping[str, object]]
    ) -> Statistics:
        """
        Run on the buffers of each handle, with results in arrays of the caller.

        Example: `megakernel.many_into(handles, [{"results": a}, {"results": b}])`
        """
        self._check(handles)
        _require("outputs", outputs, Sequence, "a list with arrays for each handle")
        if len(handles) != len(outputs):
            raise InvalidArgument(
                f"there are {len(handles)} handles, and outputs for {len(outputs)}",
                "pass a dictionary of arrays for each handle",
            )
        pairs = zip(handles, outputs)
        checked = [handle.outputs(arrays) for handle, arrays in pairs]
        spans = (pair for arrays in checked for pair in arrays.items())
        check_overlaps((name, array, True) for name, array in spans)
        return self._run(handles, checked, "reused")

    def many_with_scratch(
        self, handles: Sequence[Handle], storage: BatchStorage
    ) -> Statistics:
        """
        Run on the buffers of each handle, with results in storage that is used again.

        Example: `megakernel.many_with_scratch(handles, storage); storage.batches`
        """
        self._check(handles)
        _require("storage", storage, BatchStorage, "a vyre.BatchStorage()")
        storage.clear()
        arrays = storage.reserve([handle.row for handle in handles])
        statistics = self._run(handles, arrays, "reused")
        storage.activate(len(handles))
        return statistics

    def borrowed(
        self, arguments: Mapping[str, object] = NOTHING, /, **named: Any
    ) -> Observed:
        """
        One dispatch of arrays of the caller, which are brought to the engine for it.

        Example: `megakernel.borrowed(facts=facts).statistics.input_bytes`
        """
        start = time.perf_counter_ns()
        with self.resident(arguments, **named) as handle:
            results, statistics = self.observed(handle)
            row = handle.row
        inputs = row.input_bytes
        return Observed(
            results,
            statistics._replace(
                input_bytes=inputs,
                bytes_moved=inputs + statistics.output_bytes,
                device_allocation_bytes=row.buffer_bytes,
                device_allocation_events=row.buffer_count,
                latency_ns=time.perf_counter_ns() - start,
                resident_resource_rows=0,
                resident_resource_handles=0,
            ),
        )

    # ---- Submissions

    def _run(
        self, handles: Sequence[Handle], batches: Sequence[Outputs], storage: Storage
    ) -> Statistics:
        """Submit all rows at once, and read results back."""
        if not handles:
            return NOTHING_DONE
        start = time.perf_counter_ns()
        recovered = False
        with self._locked(handles):
            exe = self.exe
            try:
                done = _submit(exe, handles, batches, storage)
            except VyreError as error:
                can_recover = all(handle.is_recoverable for handle in handles)
                if not can_recover or not is_device_lost(error):
                    raise
                anew = self._rebuilt(exe, error)
                done = _submit(anew, handles, batches, storage)
                recovered = True
        latency = time.perf_counter_ns() - start
        return _statistics(handles, batches, latency, recovered, done)

    def _check(self, handles: Sequence[Handle]) -> None:
        """Refuse what are no handles of this megakernel."""
        if handles.__class__ is not list:  # Abstract classes are slow to ask.
            _require("handles", handles, Sequence, "a list of handles")
        for handle in handles:
            if handle.__class__ is not Handle:
                _require("handle", handle, Handle, "what `resident` gave")
            if handle.owner is not self:
                raise InvalidArgument(
                    "the handle is not one of this megakernel",
                    "make it by `resident` of the megakernel that runs it",
                )

    def _locked(self, handles: Sequence[Handle]) -> AbstractContextManager[object]:
        """Nobody else uses the handles; they are locked in the same order by all."""
        if len(handles) == 1:
            return handles[0].lock
        ordered = {handle.number: handle for handle in handles}
        if len(ordered) < len(handles):
            raise InvalidArgument(
                "a handle is in the batch twice, and results are read when all rows have"
                " ended: those of the first time would be lost",
                "run it again in another batch",
            )
        locks = ExitStack()
        for number in sorted(ordered):
            locks.enter_context(ordered[number].lock)
        return locks

    def _rebuilt(self, lost: Executable, error: VyreError) -> Executable:
        """The program compiled anew, in the place of one on an engine that was lost."""
        with self._recovery:
            if self.exe is lost:  # Another thread may have been here before.
                try:
                    engine = lost.backend.reopened()
                except VyreError as second:
                    raise error from second
                self.exe = Executable(lost.unit, engine, lost.config)
                self.pipeline_id = next(_pipelines)
            return self.exe


def _require(name: str, value: object, kind: type, wanted: str) -> None:
    if not isinstance(value, kind):
        raise InvalidArgument(f"'{name}' is {kind_of(value)}", f"pass {wanted}")


def _check_planning(sizes: Mapping[str, object], packing: object) -> None:
    """Refuse what no plan can be made with, also if there are no waves."""
    for name, size in sizes.items():
        if size is not None and not (isinstance(size, int) and size >= 0):
            raise InvalidArgument(f"the {name} is {size!r}", "pass a number of bytes")
    check_choice("packing", packing, ("in_order", "best"))


class _Done(NamedTuple):
    """What a submission did."""

    output_bytes: int
    passes: int
    launches: int


def _submit(
    exe: Executable,
    handles: Sequence[Handle],
    batches: Sequence[Outputs],
    storage: Storage,
) -> _Done:
    """Run all rows, and read them back."""
    if len(handles) == 1:
        return _submit_one(exe, handles[0], batches[0], storage)
    for handle in handles:
        handle.get_ready(exe)
    passes, launches = Row.submit_all([handle.row for handle in handles])
    size = 0
    for handle, arrays in zip(handles, batches):
        size += handle.row.fetch(arrays, storage)
    # Only now: what fails before is as if it had not been.
    for handle in handles:
        handle.dispatched()
    return _Done(size, passes, launches)


def _submit_one(
    exe: Executable, handle: Handle, arrays: Outputs, storage: Storage
) -> _Done:
    """The same for one row, which is quicker."""
    handle.get_ready(exe)
    passes, launches = handle.row.submit()
    size = handle.row.fetch(arrays, storage)
    handle.dispatched()
    return _Done(size, passes, launches)


def _statistics(
    handles: Sequence[Handle],
    batches: Sequence[Outputs],
    latency: int,
    recovered: bool,
    done: _Done,
) -> Statistics:
    buffers = resources = 0
    for handle, arrays in zip(handles, batches):
        resources += handle.row.buffer_count
        buffers += len(arrays)
    size, passes, launches = done
    # By position, which takes half the time; the fields are in this order.
    in_and_out = (0, size, size, size)
    allocations = (0, 0)
    resident = (len(handles), resources)
    submissions = (2 if recovered else 1, 1, recovered)
    return Statistics(
        *in_and_out,
        *allocations,
        latency,
        buffers,
        *resident,
        *submissions,
        passes,
        launches,
    )


def _new_arrays(row: Row) -> dict[str, Array]:
    pairs = row.readbacks.items()
    return {name: zeros(name, each.shape, each.dtype) for name, each in pairs}


def _checked_reads(exe: Executable, reads: Sequence[str] | None) -> tuple[str, ...]:
    written = [binding.name for binding in exe.bindings.written]
    if reads is None:
        return tuple(written)
    if isinstance(reads, str):
        raise InvalidArgument(f"'reads' is the text '{reads}'", f"pass ['{reads}']")
    for name in reads:
        if name not in written:
            raise InvalidArgument(
                f"the program writes no buffer '{name}' that could be read back",
                did_you_mean(name, written) or f"it writes {', '.join(written)}",
            )
    return tuple(dict.fromkeys(reads))
