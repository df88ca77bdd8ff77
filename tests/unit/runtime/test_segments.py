"""
Errors of split programs name the segment, and all errors the label, on every engine and for
every kind of dispatch; traces tell how often each segment was launched.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from megakernel_programs import EVERY_ENGINE
from split_cases import OUT, SYNC, program

import vyre
from vyre import InvalidArgument, Timeout, Trapped, VyreError
from vyre.diagnostics import Segment
from vyre.runtime.backend import Backend
from vyre.runtime.executable import Executable

Make = Callable[[], Backend]


def part(k: int) -> str:
    """Traps if n is k, and does not end if it is 10 more."""
    return f"""
  %number{k} = arith.constant {k} : i32
  %endless{k} = arith.constant {10 + k} : i32
  %traps{k} = arith.cmpi eq, %n, %number{k} : i32
  scf.if %traps{k} {{
    vyre.trap "odd" at %n : i32
  }}
  %loops{k} = arith.cmpi eq, %n, %endless{k} : i32
  scf.while : () -> () {{
    scf.condition(%loops{k})
  }} do {{
    vyre.store %number{k}, %out[%x] : memref<?xi32>
    scf.yield
  }}
  %v{k} = vyre.load %out[%x] : memref<?xi32>
  %w{k} = arith.addi %v{k}, %number{k} : i32
  vyre.store %w{k}, %out[%x] : memref<?xi32>
"""


N = '%n = vyre.param "n" : i32'

PARTS = program(OUT, N, f"\n{SYNC}\n".join(map(part, range(3))))
"""Three segments."""

AROUND = program(
    OUT,
    N,
    f"""
  scf.for %k = %c0 to %c5 step %c1 {{
    {part(0)}
    {SYNC}
    {part(1)}
    {SYNC}
    %three = arith.constant 3 : index
    %k32 = arith.index_cast %k : index to i32
    %number = arith.constant 5 : i32
    %sum = arith.addi %k32, %number : i32
    %late = arith.cmpi eq, %n, %sum : i32
    scf.if %late {{
      vyre.trap "late" at %k32 : i32
    }}
    %v = vyre.load %out[%x] : memref<?xi32>
    %more = arith.addi %v, %sum : i32
    vyre.store %more, %out[%x] : memref<?xi32>
    {SYNC}
  }}
""",
)
"""The same in a loop; the third segment traps in trip n - 5."""


def zeros() -> Any:
    return np.zeros(4, np.int32)


def call(exe: Executable, **options: Any) -> object:
    return exe(out=zeros(), **options)


def third_call(exe: Executable, **options: Any) -> object:
    """The way of calls that are prepared."""
    well: dict[str, Any] = {**options, "n": 100}
    for _ in range(2):
        exe(out=zeros(), **well)
    return exe(out=zeros(), **options)


def bound(exe: Executable, **options: Any) -> object:
    with exe.bind(out=zeros(), **options) as step:
        return step()


def resident(exe: Executable, **options: Any) -> object:
    with exe.resident(out=zeros(), **options) as held:
        return held.run()


WAYS = [call, third_call, bound, resident]


def failure(kind: type[VyreError], work: Callable[[], object]) -> Any:
    with pytest.raises(kind) as caught:
        work()
    return caught.value


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_a_trap_names_its_segment(make: Make):
    exe = vyre.compile(PARTS, engine=make(), mode="split")
    for way in WAYS:
        for k in range(3):
            error = failure(Trapped, lambda: way(exe, n=k))
            assert (error.tag, error.invocation, error.value) == ("odd", 0, k)
            assert error.segment == Segment(k, 3, f"p.{k}")
            assert f"note: in segment {k} of 3, @p.{k}\n" in str(error)


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_a_trap_in_a_loop_names_the_segment_of_the_text(make: Make):
    exe = vyre.compile(AROUND, engine=make(), mode="split")
    for n, k in ((0, 0), (1, 1), (5, 2), (8, 2)):
        error = failure(Trapped, lambda: call(exe, n=n))
        assert str(error.segment) == f"segment {k} of 3, @p.{k}"


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_a_timeout_names_its_segment(make: Make):
    exe = vyre.compile(PARTS, engine=make(), mode="split")
    call(exe, n=100)  # Compiles what is left, which takes time too.
    for way, k in ((call, 0), (bound, 1), (resident, 2)):
        error = failure(Timeout, lambda: way(exe, n=10 + k, timeout=0.2))
        assert error.segment == Segment(k, 3, f"p.{k}")


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_handles_say_where(make: Make):
    config = vyre.DispatchConfig(mode="split")
    megakernel = vyre.Megakernel(PARTS, engine=make(), config=config)
    rows = [megakernel.resident(out=zeros(), n=n, label=f"n = {n}") for n in (100, 1)]
    error = failure(Trapped, lambda: megakernel.dispatch(rows[1]))
    assert error.segment == Segment(1, 3, "p.1")
    assert "\nnote: in dispatch 'n = 1'\n" in str(error)
    error = failure(Trapped, lambda: megakernel.many(rows))
    assert error.segment == Segment(1, 3, "p.1")
    assert "note: in segment 1 of 3, @p.1\nnote: in row 1 of 2, 'n = 1'\n" in str(error)


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_an_unsplit_program_has_no_segment(make: Make):
    text = program(OUT, N, part(0))
    error = failure(Trapped, lambda: call(vyre.compile(text, engine=make()), n=0))
    assert error.segment is None
    assert "note: " not in str(error)


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_every_error_has_the_label(make: Make):
    exe = vyre.compile(PARTS, engine=make())
    mistakes: list[tuple[type[VyreError], dict[str, Any]]] = [
        (Trapped, {"n": 1}),
        (Timeout, {"n": 100, "timeout": 1e-9}),
        (InvalidArgument, {"n": "many"}),
        (InvalidArgument, {"n": 1, "grid": -1}),
    ]
    for way in WAYS:
        for kind, options in mistakes:
            if way is third_call and kind is not Trapped:
                continue
            error = failure(kind, lambda: way(exe, **options, label="the third one"))
            assert error.label == "the third one"
            assert "\nnote: in dispatch 'the third one'\nFix: " in str(error)
    assert failure(Trapped, lambda: call(exe, n=1)).label is None


def launches(trace: vyre.Trace) -> Counter[str]:
    """How often each program was launched, from spans of launches or of all passes."""
    found: Counter[str] = Counter()
    for event in trace.events():
        if event.get("cat") == "segments":
            counts = event["args"].get("launches", {event["name"]: 1})
            found.update(counts)
    return found


@pytest.mark.parametrize("make", EVERY_ENGINE)
def test_traces_tell_the_launches(make: Make):
    """Engines that make all passes by themselves have one span, which counts them."""
    exe = vyre.compile(AROUND, engine=make(), mode="split")
    trace = vyre.Trace()
    options: Any = {"fixpoint_iterations": 2, "check_interval": None}
    exe(out=zeros(), n=100, trace=trace, **options)
    assert launches(trace) == {f"@p.{k}": 10 for k in range(3)}
