"""What threads do with the pool while all that may happen is explored."""

from collections.abc import Iterator, Mapping

from pool_machine import GIL, Setup
from pool_text import REPLACED, pool_text, read

from vyre.lowering.llvm import job as at
from vyre.runtime.cpu import pool_words as pool_at

POOL, JOBS, CODE = 1 << 12, 1 << 16, 1 << 24
JOB_WORDS = 1 << 10
_OWN = at.HEADER_WORDS
"""A job's own words: how many rounds, sections that were run, who traps; then one for each
worker."""

PROGRAM = """
; In every round a worker writes the number of the round; the one who is last at the barrier
; looks whether all have, and the others whether it did. One may trap in the first round: it
; sets STOP and returns.
define void @phases(ptr %job, i64 %worker, i64 %workers) {
entry:
  %own = getelementptr i64, ptr %job, i64 $OWN
  %rounds = load i64, ptr %own
  %sections = getelementptr i64, ptr %own, i64 1
  %trapper.p = getelementptr i64, ptr %own, i64 2
  %trapper = load i64, ptr %trapper.p
  %values = getelementptr i64, ptr %own, i64 3
  %mine = getelementptr i64, ptr %values, i64 %worker
  %stop = getelementptr i64, ptr %job, i64 $STOP
  br label %round

round:
  %done = phi i64 [ 0, %entry ], [ %now, %compare ]
  %over = icmp eq i64 %done, %rounds
  br i1 %over, label %end, label %write

write:
  %now = add i64 %done, 1
  %traps = icmp eq i64 %worker, %trapper
  br i1 %traps, label %trap, label %work

trap:
  store atomic i64 $STATUS_TRAPPED, ptr %stop monotonic, align 8
  br label %end

work:
  store i64 %now, ptr %mine
  %last = call i64 @meet(ptr %job, i64 %worker, i64 %workers)
  %stopped = load atomic i64, ptr %stop monotonic, align 8
  %go = icmp eq i64 %stopped, 0
  br i1 %go, label %through, label %left

left:
  %was_last = icmp ne i64 %last, 0
  br i1 %was_last, label %let_go, label %end

let_go:
  call void @release(ptr %job)
  br label %end

through:
  %is_last = icmp ne i64 %last, 0
  br i1 %is_last, label %look, label %compare

look:
  %other = phi i64 [ 0, %through ], [ %other.next, %fine ]
  %theirs = getelementptr i64, ptr %values, i64 %other
  %value = load i64, ptr %theirs
  %same = icmp eq i64 %value, %now
  br i1 %same, label %fine, label %wrong

wrong:
  call void @model.fail()
  br label %end

fine:
  %other.next = add i64 %other, 1
  %more = icmp ult i64 %other.next, %workers
  br i1 %more, label %look, label %section

section:
  store i64 %now, ptr %sections
  call void @release(ptr %job)
  br label %compare

compare:
  %seen = load i64, ptr %sections
  %right = icmp eq i64 %seen, %now
  br i1 %right, label %round, label %check

check:
  ; A stop that comes now is as good as an opening.
  %stopped.now = load atomic i64, ptr %stop monotonic, align 8
  %excused = icmp ne i64 %stopped.now, 0
  br i1 %excused, label %end, label %wrong

end:
  ret void
}

; Threads of Python: one that dispatches jobs, one that closes the pool.
define void @main(ptr %pool, ptr %job, i64 %jobs, i64 %closes) {
entry:
  call void @model.take_python()
  br label %begin

begin:
  %next = phi ptr [ %job, %entry ], [ %following, %begin ]
  %left = phi i64 [ %jobs, %entry ], [ %fewer, %begin ]
  %status = call i64 @dispatch(ptr %pool, ptr %next)
  %flag = getelementptr i64, ptr %next, i64 -1
  call void @model.gone(ptr %flag)
  %following = getelementptr i64, ptr %next, i64 $JOB_WORDS
  %fewer = sub i64 %left, 1
  %more = icmp ne i64 %fewer, 0
  br i1 %more, label %begin, label %close

close:
  call void @model.release_python()
  %is_closing = icmp ne i64 %closes, 0
  br i1 %is_closing, label %retire, label %end

retire:
  call void @close(ptr %pool)
  br label %end

end:
  ret void
}

define void @close(ptr %pool) {
  br label %try

try:
  call void @model.take_python()
  %done = call i64 @retire(ptr %pool)
  call void @model.release_python()
  %over = icmp ne i64 %done, 0
  br i1 %over, label %end, label %wait

wait:
  ; It tries again and again, and halts again; but once is enough until LOCK changes.
  %lock = load atomic i64, ptr %pool monotonic, align 8
  %busy = icmp ne i64 %lock, 0
  br i1 %busy, label %wait, label %try

end:
  ret void
}
"""

_PRIVATE_WORDS = (
    *(at.PATIENCE, at.POOL, at.CHOICE),
    *(at.MAY_BE_ALONE, at.WOKE, at.ALONE, at.BEGAN),
)
_JOB_WORDS = (at.STOP, at.GENERATION, at.ARRIVED, at.PARKED, at.ARRIVED_APART)
_POOL_WORDS = (pool_at.LOCK, pool_at.RUNNING, pool_at.LEFT, pool_at.WATCHED)
_SLOT_WORDS = (pool_at.SLOT_STATE, pool_at.SLOT_JOB, pool_at.SLOT_WORKERS)


def setup(
    workers: int = 2,
    rounds: int = 2,
    jobs: int = 1,
    callers: int = 1,
    closer: bool = False,
    trapper: int = -1,
    may_be_late: bool = False,
    naps: bool = False,
    wakes_for_nothing: bool = False,
    rouses: bool = False,
    changes: Mapping[str, str] | None = None,
) -> Setup:
    """
    So many workers that meet in so many rounds of so many jobs, one after the other; two
    callers have a job each. The pool is closed at the end, or whenever a `closer` does it.

    Example: `explore(PoolMachine(setup(jobs=2))).broken is None`
    """
    text = PROGRAM.replace("$OWN", str(_OWN)).replace("$JOB_WORDS", str(JOB_WORDS))
    functions = read(pool_text(changes or {}), REPLACED, text)
    words: dict[int, int] = {GIL: 0}
    shared: set[int] = set()
    for word in _POOL_WORDS:
        shared.add(POOL + 8 * word)
    words[POOL + 8 * pool_at.CORES] = workers
    shared |= {POOL + 8 * word for word in (pool_at.SIZE, pool_at.STARTED, pool_at.ALIVE)}
    words[POOL + 8 * pool_at.SIZE] = workers
    private = (pool_at.MAIN_THREAD, pool_at.EXPECTED, pool_at.LAST_END)
    words |= {POOL + 8 * word: 0 for word in private}
    slots = [POOL + 8 * (pool_at.SLOTS + pool_at.SLOT_SIZE * w) for w in range(workers)]
    for slot in slots:
        shared |= {slot + 8 * word for word in _SLOT_WORDS}
        private = (pool_at.SLOT_POOL, pool_at.SLOT_WORKER, pool_at.SLOT_CORE)
        words |= {slot + 8 * word: 0 for word in private}
    used = [JOBS + 8 * JOB_WORDS * number for number in range(jobs * callers)]
    for number, job in enumerate(used):
        if rouses and number:  # It is known to be over sooner alone.
            words |= {job + 8 * at.MAY_BE_ALONE: 1, job + 8 * at.WOKE: 1}
        shared |= {job + 8 * word for word in _JOB_WORDS}
        shared |= {job + 8 * (_OWN + 1)}
        shared |= {job + 8 * (_OWN + 3 + worker) for worker in range(workers)}
        words |= {job - 8: 0, job + 8 * at.WORKERS: workers, job + 8 * at.ENTRY: CODE}
        words |= {job + 8 * _OWN: rounds, job + 8 * (_OWN + 2): trapper}
        zero = (
            at.PATIENCE,
            at.POOL,
            at.CHOICE,
            at.MAY_BE_ALONE,
            at.WOKE,
            at.ALONE,
            at.BEGAN,
        )
        words = {job + 8 * word: 0 for word in zero} | words
    calls: list[tuple[str, tuple[int, ...]]] = []
    for caller in range(callers):
        closes = caller == callers - 1 and not closer
        calls.append(("main", (POOL, used[jobs * caller], jobs, int(closes))))
    if closer:
        calls.append(("close", (POOL,)))
    return Setup(
        functions,
        tuple(calls),
        tuple(slots[1:]),
        words,
        frozenset(shared),
        {job - 8: range(job, job + 8 * JOB_WORDS - 8) for job in used},
        may_be_late,
        naps,
        wakes_for_nothing,
        {CODE: "phases"},
    )


def setups(workers: int) -> Iterator[tuple[str, Setup]]:
    """
    All that may happen with so many workers. Without `naps` nobody may need them: who
    waits for so long that it naps has missed a wake-up.

    Example: `for name, setup in setups(2): ...`
    """
    yield "one round", setup(workers, rounds=1)
    for trapper in range(workers):
        yield f"worker {trapper} stops all", setup(workers, trapper=trapper)
    yield "deadline", setup(workers, rounds=1, may_be_late=True, naps=True)
    yield "the system wakes at will", setup(workers, rounds=1, wakes_for_nothing=True)
    if workers > 2:
        return  # Millions of states.
    yield "two rounds", setup(workers)
    yield "two jobs", setup(workers, rounds=1, jobs=2)
    yield "threads are roused", setup(workers, rounds=1, jobs=3, rouses=True)
    yield "closed meanwhile", setup(workers, rounds=1, closer=True)
    yield "two callers", setup(workers, rounds=1, callers=2)
