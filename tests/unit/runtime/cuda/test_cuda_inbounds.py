"""What a file says about accesses that are inside their buffers is not trusted."""

import numpy as np
from cuda_devices import host_device

import vyre
from vyre.runtime.cuda.backend import CudaBackend

LYING = """
vyre.program @p [4, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %far = arith.constant 1000000 : index
  %one = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %n = vyre.length %a, 0 : memref<?xi32>
  %is_there = arith.cmpi ult, %i, %n : index
  scf.if %is_there { vyre.store %one, %a[%i] : memref<?xi32> }
  vyre.store %one, %a[%far] inbounds : memref<?xi32>
}
"""


def test_claims_of_a_file_are_proved_or_compared():
    exe = vyre.compile(LYING, engine=CudaBackend(host_device()))
    found = exe(a=np.zeros(6, np.int32), grid=2)["a"]
    np.testing.assert_array_equal(found, np.ones(6, np.int32))
    text = exe.sources["p.cu"]
    assert "if (1000000 < a_size) a[1000000] = 1;" in text
    assert text.count("i < a_size") == 1  # The guard; the access is proved by it.
