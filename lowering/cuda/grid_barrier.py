"""
The grid barrier of native kernels, as CUDA C++ that needs no headers.

```c++
static __device__ bool vyre_grid_sync(unsigned int *vyre_grid,
                                      const volatile unsigned int *vyre_stop,
                                      const unsigned long long *vyre_trap,  // if has_traps
                                      const unsigned int barrier)  // with a watchdog
```

All threads of the grid come to it, under grid-uniform control, any number of times. It is
false if everyone shall leave, so kernels say `if (!vyre_grid_sync(...)) return;`. What any
thread wrote before is visible to every thread after it. `vyre_grid` points to `GRID_WORDS`
words that belong to one launch, zeros before it. (What a launch leaves behind that ran to
its end serves the next one as well; one that was stopped, trapped or gave up leaves
rubbish.) The grid must be on the device all at once: a cooperative launch sees to that.

It looks at the host's stop word now and then, so that nobody waits for blocks that have
left because of it; blocks leave without agreement then. If the leader of a block has left
the kernel, its block leaves.

`watchdog` helps to find out why a kernel hangs. Each call says which barrier it is, from 1.
A block that has looked so many times in vain stores that in the word `Word.GAVE_UP`, sets
the stop word and leaves, and so do all. `Word.ARRIVED` then tells how many blocks had come,
if they were not all.

The protocol itself is in `grid_protocol.py`.
"""

from vyre.lowering.cuda.grid_protocol import (
    NO_TRAP,
    WORD_POSITIONS,
    AtomicAdd,
    Fence,
    GoOnIfEven,
    If,
    IfLeader,
    Leave,
    Let,
    Plus,
    Set,
    Sometimes,
    Source,
    Spin,
    Step,
    Steps,
    Store,
    SyncThreads,
    Word,
    grid_barrier_steps,
)
from vyre.lowering.cuda.writer import Writer


def grid_barrier_text(*, has_traps: bool, watchdog: int | None = None) -> str:
    """
    The function `vyre_grid_sync`, whose callers are in the same translation unit.

    Example: `grid_barrier_text(has_traps=False, watchdog=1 << 24)` stops what hangs.
    """
    writer = Writer()
    writer.line("// Waits until all threads of the grid are here, and what they wrote.")
    writer.line("// False if everyone shall leave.")
    has_watchdog = watchdog is not None
    with writer.block(_head(has_traps, has_watchdog)):
        _declare(writer, has_traps, has_watchdog)
        _write(writer, grid_barrier_steps(has_traps=has_traps, watchdog=watchdog))
    return writer.text()


def grid_barrier_call(*, has_traps: bool, barrier: int | None = None) -> str:
    """
    The expression that waits for the whole grid, and is false if everyone shall leave.
    `barrier` is its number, if there is a watchdog.

    Example: `f"if (!{grid_barrier_call(has_traps=False)}) return;"`
    """
    arguments = ["vyre_grid", "vyre_stop"]
    if has_traps:
        arguments.append("vyre_trap")
    if barrier is not None:
        arguments.append(str(barrier))
    return f"vyre_grid_sync({', '.join(arguments)})"


def _head(has_traps: bool, has_watchdog: bool) -> str:
    parameters = ["unsigned int *vyre_grid", "const volatile unsigned int *vyre_stop"]
    if has_traps:
        parameters.append("const unsigned long long *vyre_trap")
    if has_watchdog:
        parameters.append("const unsigned int barrier")
    start = "static __device__ bool vyre_grid_sync("
    return start + f",\n{' ' * len(start)}".join(parameters) + ")"


def _declare(writer: Writer, has_traps: bool, has_watchdog: bool) -> None:
    for word in (Word.ARRIVED, Word.GENERATION, Word.GAVE_UP):
        if word is not Word.GAVE_UP or has_watchdog:
            writer.line(f"volatile unsigned int *const {word.value} = {_address(word)};")
    if has_traps:
        key = f"const volatile unsigned long long *const {Word.TRAPPED.value}"
        writer.line(f"{key} = vyre_trap + 1;")
    writer.line("const unsigned int blocks = gridDim.x * gridDim.y * gridDim.z;")
    writer.space()


def _address(word: Word) -> str:
    position = WORD_POSITIONS[word]
    return f"vyre_grid + {position}" if position else "vyre_grid"


def _write(writer: Writer, steps: Steps) -> None:
    for step in steps:
        for line in step.why.splitlines():
            writer.line(f"// {line}")
        _write_step(writer, step)


def _write_step(writer: Writer, step: Step) -> None:
    match step:
        case If():
            _write_if(writer, _condition(step), step.then, step.otherwise)
        case Sometimes(counter, (If(otherwise=()) as then,)):
            _write_if(writer, f"{counter} && {_condition(then)}", then.then)
        case Sometimes(counter, then):
            _write_if(writer, counter, then)
        case IfLeader(then):
            _write_if(writer, "(threadIdx.x | threadIdx.y | threadIdx.z) == 0", then)
        case Spin(body):
            with writer.block("for (unsigned int spins = 1;; ++spins)"):
                _write(writer, body)
                writer.line("__nanosleep(32);")
        case _:
            writer.line(_statement(step))


def _write_if(writer: Writer, condition: str, then: Steps, otherwise: Steps = ()) -> None:
    match then, otherwise:
        case (Set() | Leave() as only,), ():
            writer.line(f"if ({condition}) {_statement(only)}")
        case _, ():
            with writer.block(f"if ({condition})"):
                _write(writer, then)
        case _:
            writer.line(f"if ({condition}) {{")
            with writer.indented():
                _write(writer, then)
            with writer.block("} else"):
                _write(writer, otherwise)


def _condition(step: If) -> str:
    return f"{_source(step.left)} {step.relation} {_source(step.right)}"


def _statement(
    step: Let | Set | Store | Fence | SyncThreads | GoOnIfEven | Leave,
) -> str:
    match step:
        case Let(name, source):
            const = "const " if step.is_const else ""
            return f"{const}unsigned int {name} = {_source(source)};"
        case Set(name, source):
            return f"{name} = {_source(source)};"
        case Store(Word.STOP, value):
            # Kernels only look at it, but for this.
            stop = "const_cast<volatile unsigned int *>(vyre_stop)"
            return f"*{stop} = {_source(value)};"
        case Store(word, value):
            return f"*{word.value} = {_source(value)};"
        case Fence():
            return "__threadfence();"
        case SyncThreads():
            return "__syncthreads();"
        case GoOnIfEven(name):
            return f"return __syncthreads_or({name} % 2 == 0) != 0;"
        case Leave():
            return "break;"


def _source(source: Source) -> str:
    match source:
        case Word():
            return f"*{source.value}"
        case AtomicAdd(word, amount):
            return f"atomicAdd({_address(word)}, {amount}u)"
        case Plus(name, amount):
            return f"{name} {'+' if amount > 0 else '-'} {abs(amount)}"
        case int():
            return "~0ull" if source == NO_TRAP else str(source)
        case str():
            return source
