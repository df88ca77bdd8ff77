"""Code runs wherever its parts are put, also in a process that uses much address space."""

import subprocess
import sys

import pytest

FAR = """
import ctypes, mmap
from vyre.runtime.cpu.machine import Linked, Processor, object_code

TEXT = '''
@table = internal constant { [999999 x i64], i64 } { [999999 x i64] zeroinitializer, i64 7 }

define i64 @element(i64 %i) {
  %place = getelementptr i64, ptr @table, i64 %i
  %found = load i64, ptr %place
  ret i64 %found
}
'''
code = object_code(TEXT, Processor.host())
Linked(code, "element")
# The small code fits into a hole near the libraries, the large table does not any more.
NORESERVE = 0x4000
flags = mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS | NORESERVE
kept = [mmap.mmap(-1, 3 << 30, flags=flags, prot=0) for _ in range(30)]
linked = Linked(code, "element")
element = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64)(linked.address)
assert (element(999_999), element(5)) == (7, 0)
"""


@pytest.mark.skipif(sys.platform != "linux", reason="reserves address space as Linux does")
def test_code_and_its_constants_may_be_far_from_other_memory():
    subprocess.run([sys.executable, "-c", FAR], check=True, timeout=120)
