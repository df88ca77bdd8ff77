"""Small native programs for the worker pool, and jobs that run them."""

import time
from string import Template

import llvmlite.binding as llvm
import numpy as np
from numpy.typing import NDArray

from vyre.lowering.llvm import job
from vyre.lowering.llvm.job import HEADER_WORDS
from vyre.runtime.cpu.pool import WorkerPool

OWN = HEADER_WORDS
"""Where a job's own words begin; the programs below say what they are."""

PHASES = """
; Own words: rounds, sections run, mistakes seen, workers there were; from 8 on, 8 words for
; each worker. In every round a worker writes the number of the round, and the one who is
; last at the barrier looks whether all have.
define void @phases(ptr %job, i64 %worker, i64 %workers) {
entry:
  %own = getelementptr i64, ptr %job, i64 $OWN
  %rounds = load i64, ptr %own
  %sections = getelementptr i64, ptr %own, i64 1
  %mistakes = getelementptr i64, ptr %own, i64 2
  %there = getelementptr i64, ptr %own, i64 3
  store atomic i64 %workers, ptr %there monotonic, align 8
  %values = getelementptr i64, ptr %own, i64 8
  %offset = shl i64 %worker, 3
  %mine = getelementptr i64, ptr %values, i64 %offset
  %stop = getelementptr i64, ptr %job, i64 $STOP
  %meet.p = getelementptr i64, ptr %job, i64 $MEET
  %meet = load ptr, ptr %meet.p
  %release.p = getelementptr i64, ptr %job, i64 $RELEASE
  %release = load ptr, ptr %release.p
  br label %round

round:
  %done = phi i64 [ 0, %entry ], [ %now, %compare ]
  %over = icmp eq i64 %done, %rounds
  br i1 %over, label %end, label %write

write:
  %now = add i64 %done, 1
  store i64 %now, ptr %mine
  %last = call i64 %meet(ptr %job, i64 %worker, i64 %workers)
  %stopped = load i64, ptr %stop
  %go = icmp eq i64 %stopped, 0
  br i1 %go, label %through, label %end

through:
  %is_last = icmp ne i64 %last, 0
  br i1 %is_last, label %look, label %compare

look:
  %other = phi i64 [ 0, %through ], [ %other.next, %look ]
  %wrong = phi i64 [ 0, %through ], [ %wrong.next, %look ]
  %other.offset = shl i64 %other, 3
  %theirs = getelementptr i64, ptr %values, i64 %other.offset
  %value = load i64, ptr %theirs
  %differs = icmp ne i64 %value, %now
  %differs.word = zext i1 %differs to i64
  %wrong.next = add i64 %wrong, %differs.word
  %other.next = add i64 %other, 1
  %more = icmp ult i64 %other.next, %workers
  br i1 %more, label %look, label %section

section:
  %noted = atomicrmw add ptr %mistakes, i64 %wrong.next monotonic
  %count = load i64, ptr %sections
  %count.next = add i64 %count, 1
  store i64 %count.next, ptr %sections
  call void %release(ptr %job)
  br label %compare

compare:
  %seen = load i64, ptr %sections
  %missed = icmp ne i64 %seen, %now
  %missed.word = zext i1 %missed to i64
  %noted.too = atomicrmw add ptr %mistakes, i64 %missed.word monotonic
  br label %round

end:
  ret void
}
"""

ENDLESS = """
; Own words: which worker loops until it is told to stop, whether the others wait for it at
; the barrier, how many are here, how many there are.
define void @endless(ptr %job, i64 %worker, i64 %workers) {
  %own = getelementptr i64, ptr %job, i64 $OWN
  %looper = load i64, ptr %own
  %waits.p = getelementptr i64, ptr %own, i64 1
  %waits = load i64, ptr %waits.p
  %here = getelementptr i64, ptr %own, i64 2
  %there = getelementptr i64, ptr %own, i64 3
  store atomic i64 %workers, ptr %there monotonic, align 8
  %before = atomicrmw add ptr %here, i64 1 monotonic
  %pulse.p = getelementptr i64, ptr %job, i64 $PULSE
  %pulse = load ptr, ptr %pulse.p
  %loops = icmp eq i64 %worker, %looper
  br i1 %loops, label %loop, label %others

loop:
  %stop = call preserve_mostcc i64 %pulse(ptr %job, i64 %worker)
  %on = icmp eq i64 %stop, 0
  br i1 %on, label %loop, label %end

others:
  %stay = icmp ne i64 %waits, 0
  br i1 %stay, label %wait, label %end

wait:
  %meet.p = getelementptr i64, ptr %job, i64 $MEET
  %meet = load ptr, ptr %meet.p
  %last = call i64 %meet(ptr %job, i64 %worker, i64 %workers)
  br label %end

end:
  ret void
}

; Looks at nothing and never ends.
define void @deaf(ptr %job, i64 %worker, i64 %workers) {
  %here = getelementptr i64, ptr %job, i64 $HERE
  %before = atomicrmw add ptr %here, i64 1 monotonic
  br label %loop

loop:
  %ignored = load volatile i64, ptr %job
  br label %loop
}
"""

TRAP = """
; Own words: which worker traps, and after how many turns; the others wait for it.
define void @trap(ptr %job, i64 %worker, i64 %workers) {
entry:
  %own = getelementptr i64, ptr %job, i64 $OWN
  %trapper = load i64, ptr %own
  %turns.p = getelementptr i64, ptr %own, i64 1
  %traps = icmp eq i64 %worker, %trapper
  br i1 %traps, label %turn, label %wait

turn:
  %done = phi i64 [ 0, %entry ], [ %next, %turn ]
  %turns = load volatile i64, ptr %turns.p
  %next = add i64 %done, 1
  %more = icmp ult i64 %next, %turns
  br i1 %more, label %turn, label %trap

trap:
  %stop = getelementptr i64, ptr %job, i64 $STOP
  store atomic i64 $STATUS_TRAPPED, ptr %stop monotonic, align 8
  br label %end

wait:
  %meet.p = getelementptr i64, ptr %job, i64 $MEET
  %meet = load ptr, ptr %meet.p
  %last = call i64 %meet(ptr %job, i64 %worker, i64 %workers)
  br label %end

end:
  ret void
}
"""

FLOATS = """
; Own words: a number, a factor, and from 8 on the product as each worker computes it.
define void @product(ptr %job, i64 %worker, i64 %workers) {
  %own = getelementptr i64, ptr %job, i64 $OWN
  %number = load volatile double, ptr %own
  %factor.p = getelementptr i64, ptr %own, i64 1
  %factor = load volatile double, ptr %factor.p
  %result = fmul double %number, %factor
  %index = add i64 %worker, 8
  %to = getelementptr i64, ptr %own, i64 %index
  store double %result, ptr %to
  ret void
}
"""

X86 = """
declare void @llvm.x86.sse.stmxcsr(ptr)
declare void @llvm.x86.sse.ldmxcsr(ptr)

; Leaves behind what no program should.
define void @spoil(ptr %job, i64 %worker, i64 %workers) {
  call void @set_mxcsr(i32 65472)
  ret void
}

define i32 @get_mxcsr() {
  %room = alloca i32
  call void @llvm.x86.sse.stmxcsr(ptr %room)
  %value = load i32, ptr %room
  ret i32 %value
}

define void @set_mxcsr(i32 %value) {
  %room = alloca i32
  store i32 %value, ptr %room
  call void @llvm.x86.sse.ldmxcsr(ptr %room)
  ret void
}
"""


def compiled(text: str) -> llvm.ExecutionEngine:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    words = {name: value for name, value in vars(job).items() if name.isupper()}
    filled = Template(text).substitute(words, OWN=OWN, HERE=OWN + 2)
    machine = llvm.Target.from_default_triple().create_target_machine()
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(filled), machine)
    engine.finalize_object()
    return engine


_ENGINE = compiled(PHASES + ENDLESS + TRAP + FLOATS)
_ENTRIES = {
    name: _ENGINE.get_function_address(name)
    for name in ("phases", "endless", "deaf", "trap", "product")
}
"""Where the programs lie. In children llvmlite cannot always be asked."""


def make_job(pool: WorkerPool, name: str, workers: int, *own: int) -> NDArray[np.uint64]:
    """A job that runs a program above, with its first own words; a minute at most."""
    words = job.new_job(8 + 8 * max(workers, 1))
    pool.prepare(words)
    words[job.ENTRY] = _ENTRIES[name]
    words[job.WORKERS] = workers
    words[job.DEADLINE] = time.monotonic_ns() + 60_000_000_000
    words[OWN : OWN + len(own)] = own
    return words


def run(pool: WorkerPool, words: NDArray[np.uint64]) -> int:
    return pool.dispatch(words.ctypes.data)


def works(pool: WorkerPool, workers: int, rounds: int = 50) -> bool:
    """Whether the pool does right what it is there for, with so many workers."""
    words = make_job(pool, "phases", workers, rounds)
    status = run(pool, words)
    found = [int(word) for word in words[OWN : OWN + 4]]
    return (status, *found) == (job.STATUS_DONE, rounds, rounds, 0, workers)
