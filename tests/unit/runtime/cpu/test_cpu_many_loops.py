"""
Loops that are too short to look whether they shall stop, so many of them that they would
take hours: whoever runs them looks in between.
"""

import numpy as np
import pytest
from cpu_runs import CPUS

import vyre

STEP = """
  %v = vyre.load %a[%x] : memref<?xi32>
  %w = arith.muli %v, %three : i32
  vyre.store %w, %a[%x] : memref<?xi32>"""

STEP_AGAIN = STEP.replace("%v", "%t").replace("%w", "%u")

SLOW = """
  %v = vyre.load %a[%x] : memref<?xi32>
  %q = arith.divsi %three, %v : i32
  %w = arith.ori %q, %three : i32
  vyre.store %w, %a[%x] : memref<?xi32>"""

SHORT = f"""
  scf.for %k = %zero to %few step %one {{
    scf.for %j = %zero to %many step %one {{ {STEP} }}
  }}"""

MANY = {
    "invocations of a row": ("[64, 1, 1]", SHORT, (2**24, 1, 1)),
    "rows of one invocation": ("[1, 1, 1]", SHORT, (1, 2**30, 1)),
    "planes of a workgroup": ("[1, 4, 16]", SHORT, (1, 1, 2**24)),
    "invocations that return": (
        "[64, 1, 1]",
        f"{SHORT}\n%r = arith.cmpi ult, %x, %end : index\nscf.if %r {{ vyre.return }}",
        (2**24, 1, 1),
    ),
    "workgroups with barriers": (
        "[2, 1, 1]",
        f"{SHORT}\nvyre.barrier acq_rel\n{STEP}",
        (2**30, 1, 1),
    ),
    "a loop around a barrier": (
        "[2, 1, 1]",
        f"scf.for %i = %zero to %many step %one {{ {SHORT}\nvyre.barrier acq_rel }}",
        (1, 1, 1),
    ),
    "a loop of few trips around a barrier": (
        "[2, 1, 1]",
        f"""
  %trips = arith.constant 60000 : index
  scf.for %i = %zero to %trips step %one {{ {SHORT}\nvyre.barrier acq_rel }}""",
        (1, 1, 1),
    ),
    "an endless loop around a barrier that nobody comes to": (
        "[2, 1, 1]",
        f"""
  %no = arith.cmpi eq, %few, %many : index
  %yes = arith.cmpi ne, %few, %many : index
  scf.while : () -> () {{
    scf.condition(%yes)
  }} do {{
    scf.if %no {{ {STEP}\nvyre.barrier acq_rel\n{STEP_AGAIN} }}
    scf.yield
  }}""",
        (1, 1, 1),
    ),
    "loops without trips after loops with some": (
        "[1, 1, 1]",
        f"""
  scf.for %k = %zero to %many step %one {{ {SLOW} }}
  scf.for %k = %many to %zero step %one {{ {SLOW} }}""",
        (1, 2**30, 1),
    ),
    "loops that trap": (
        "[1, 1, 1]",
        f"""
  %last = arith.subi %many, %one : index
  scf.for %k = %zero to %many step %one {{ {SLOW}
    %c = arith.cmpi eq, %k, %last : index
    scf.if %c {{ vyre.trap "last" }}
  }}""",
        (1, 2**30, 1),
    ),
    "trips without a barrier": (
        "[2, 1, 1]",
        f"""
  scf.for %i = %zero to %end step %one {{
    %c = arith.cmpi eq, %i, %end : index
    scf.if %c {{ {STEP}\nvyre.barrier acq_rel }}
  }}""",
        (1, 1, 1),
    ),
    "rows that are left out": (
        "[1, 1, 1]",
        f"""
  %y = vyre.invocation_id y
  %c = arith.cmpi eq, %y, %end : index
  scf.if %c {{
    %t = vyre.load %a[%zero] : memref<?xi32>
    %n = arith.index_cast %t : i32 to index
    scf.for %k = %zero to %n step %one {{ {STEP} }}
  }}""",
        (1, 2**40, 1),
    ),
}


@pytest.mark.parametrize("workers", [1, 3])
@pytest.mark.parametrize("name", MANY)
def test_many_loops_have_a_time_limit(name: str, workers: int):
    size, code, grid = MANY[name]
    text = f"""
vyre.program @p {size} {{
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %few = vyre.param "few" : index
  %many = vyre.param "many" : index
  %end = vyre.param "end" : index
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %three = arith.constant 3 : i32
  %x = vyre.invocation_id x
  {code}
}}"""
    exe = vyre.compile(text, engine=CPUS[workers])
    given = {"a": np.ones(2**16, np.int32), "few": 63, "many": 65535, "end": 2**50}
    with pytest.raises(vyre.Timeout):
        exe(given, grid=grid, timeout=0.1)
