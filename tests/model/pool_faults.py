"""Ways to get the pool wrong, each by changing some of its text."""

from collections.abc import Iterator
from dataclasses import dataclass

from pool_machine import Setup
from pool_setups import setup

HANGING = "waits forever"
LATE = "uses a job that is gone"
WILD = "reads where nothing is"


@dataclass(frozen=True)
class Fault:
    """A setup of the pool with a changed text, and what the search finds in it."""

    name: str
    setup: Setup
    broken: str


def faults() -> Iterator[Fault]:
    """
    All of them.

    Example: `for fault in faults(): assert explore(fault.setup).broken == fault.broken`
    """
    yield from _at_the_barrier()
    yield from _at_the_end()
    yield from _for_work()


def _at_the_barrier() -> Iterator[Fault]:
    changes = {
        """\
  %old = atomicrmw add ptr %generation, i32 1 seq_cst
  %sleepers = load atomic i64, ptr %parked seq_cst, align 8
""": """\
  %sleepers = load atomic i64, ptr %parked seq_cst, align 8
  %old = atomicrmw add ptr %generation, i32 1 seq_cst
""",
    }
    yield Fault("open reads PARKED first", setup(changes=changes), HANGING)
    changes = {
        """\
  %old = atomicrmw add ptr %generation, i32 1 seq_cst
  %sleepers""": """\
  %old = load atomic i32, ptr %generation monotonic, align 8
  %new = add i32 %old, 1
  store atomic i32 %new, ptr %generation monotonic, align 8
  %sleepers""",
    }
    yield Fault("open changes nothing atomically", setup(changes=changes), HANGING)
    changes = {
        "%before = atomicrmw add ptr %parked, i64 1 seq_cst": (
            "%before = atomicrmw add ptr %parked, i64 0 seq_cst"
        ),
    }
    yield Fault("sleepers do not say so", setup(changes=changes), HANGING)
    changes = {
        """\
  store atomic i64 0, ptr %arrived monotonic, align 8
  call void @open(ptr %job)
""": """\
  call void @open(ptr %job)
  store atomic i64 0, ptr %arrived monotonic, align 8
""",
    }
    yield Fault("reset after opening", setup(changes=changes), HANGING)
    changes = {
        """\
  store atomic i64 0, ptr %arrived monotonic, align 8
  call""": "  call",
    }
    yield Fault("no reset", setup(changes=changes), HANGING)
    changes = {
        """\
  %seen = load atomic i32, ptr %generation acquire, align 8
  %before = atomicrmw add ptr %arrived, i64 1 acq_rel
""": """\
  %before = atomicrmw add ptr %arrived, i64 1 acq_rel
  %seen = load atomic i32, ptr %generation acquire, align 8
""",
    }
    yield Fault("generation read after arrival", setup(changes=changes), HANGING)
    changes = {
        """\
  %before = atomicrmw add ptr %arrived, i64 1 acq_rel
  %now = add i64 %before, 1
""": """\
  %before = load atomic i64, ptr %arrived monotonic, align 8
  %now = add i64 %before, 1
  store atomic i64 %now, ptr %arrived monotonic, align 8
""",
    }
    yield Fault("arrival not by one step", setup(changes=changes), HANGING)


def _at_the_end() -> Iterator[Fault]:
    changes = {
        """\
  %before = atomicrmw sub ptr %left, i32 1 seq_cst
  %last = icmp eq i32 %before, 1
  br i1 %last, label %announce, label %end

announce:
  %watched.p = getelementptr i64, ptr %pool, i64 $WATCHED
  %watched.word = load atomic i64, ptr %watched.p seq_cst, align 8
""": """\
  %watched.p = getelementptr i64, ptr %pool, i64 $WATCHED
  %watched.word = load atomic i64, ptr %watched.p seq_cst, align 8
  %before = atomicrmw sub ptr %left, i32 1 seq_cst
  %last = icmp eq i32 %before, 1
  br i1 %last, label %announce, label %end

announce:
""",
    }
    yield Fault("WATCHED read early", setup(changes=changes), HANGING)
    changes = {
        "  call void @await_others(ptr %pool, ptr %job, i64 %workers)\n": "",
    }
    yield Fault("nobody is awaited", setup(changes=changes, jobs=2, rounds=1), LATE)
    changes = {
        """\
stopped:
  call void @open(ptr %job)
""": "stopped:\n",
    }
    yield Fault("who stops opens nothing", setup(changes=changes, trapper=1), HANGING)
    changes = {
        "%others = sub i64 %able, 1": "%others = sub i64 %able, 2",
    }
    yield Fault("LEFT one too few", setup(changes=changes, jobs=2, rounds=1), LATE)
    changes = {
        """\
  call void @run(ptr %job, i64 %worker, i64 %workers)
  call void @leave(ptr %pool)
""": """\
  call void @leave(ptr %pool)
  call void @run(ptr %job, i64 %worker, i64 %workers)
""",
    }
    yield Fault("leaves before it runs", setup(changes=changes, rounds=1), LATE)
    changes = {
        """\
  %stops = icmp ne i64 %stopped, 0
  %enough = or i1 %changed, %stops""": "  %enough = or i1 %changed, %changed",
    }
    yield Fault("sleeps in spite of a stop", setup(changes=changes, trapper=1), HANGING)


def _for_work() -> Iterator[Fault]:
    changes = {
        "%asleep = icmp eq i32 %before, 2": "%asleep = icmp eq i32 %before, 5",
    }
    yield Fault(
        "sleepers are not woken for work", setup(changes=changes, jobs=2, rounds=1), HANGING
    )
    changes = {
        "%exchange = cmpxchg ptr %slot, i32 0, i32 2 acq_rel acquire": (
            "store atomic i32 2, ptr %slot monotonic, align 8"
        ),
    }
    yield Fault("falls asleep over work", setup(changes=changes), HANGING)
    changes = {
        """\
  store atomic i32 0, ptr %slot monotonic, align 8
  call void @start_next(ptr %pool, ptr %job, i64 %worker, i64 %workers)
""": """\
  call void @start_next(ptr %pool, ptr %job, i64 %worker, i64 %workers)
""",
        """\
  call void @run(ptr %job, i64 %worker, i64 %workers)
  call void @leave(ptr %pool)
""": """\
  call void @run(ptr %job, i64 %worker, i64 %workers)
  call void @leave(ptr %pool)
  store atomic i32 0, ptr %slot monotonic, align 8
""",
    }
    yield Fault(
        "idle after starting others", setup(changes=changes, jobs=2, rounds=1), HANGING
    )
    changes = {
        """\
%exchange = cmpxchg ptr %pool, i64 0, i64 1 acquire monotonic
  %mine = extractvalue { i64, i1 } %exchange, 1
  br i1 %mine, label %locked, label %alone""": """\
%exchange = cmpxchg ptr %pool, i64 0, i64 0 acquire monotonic
  %mine = extractvalue { i64, i1 } %exchange, 1
  br i1 %mine, label %locked, label %alone""",
    }
    yield Fault("lock is not taken", setup(changes=changes, rounds=1, callers=2), WILD)
    changes = {
        "%ignored = cmpxchg ptr %slot, i32 4, i32 0 acq_rel acquire": (
            "store atomic i32 0, ptr %slot monotonic, align 8"
        ),
    }
    yield Fault(
        "roused over work", setup(changes=changes, jobs=3, rounds=1, rouses=True), HANGING
    )
