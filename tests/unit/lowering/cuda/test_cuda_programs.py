"""What a kernel says about itself, and what it does not do to its program."""

import numpy as np
import pytest
from cuda_devices import host_device
from cuda_kernels import kernel_of, program_in, run_kernel
from xdsl.dialects.builtin import IndexType, f16, f32, i1

from vyre.analysis.bounds import number_ranges
from vyre.analysis.extents import Setting
from vyre.analysis.ranges import Range
from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre import InvocationIdOp, LoadOp
from vyre.dialects.vyre.attributes import ScratchScope
from vyre.lowering.cuda.kernel import (
    BufferArgument,
    Extra,
    ScratchArgument,
    ValueArgument,
)

USUAL = Setting(most_invocations=2**31 - 1)

EVERYTHING = """
vyre.program @everything [8, 4, 2] {
  %n = vyre.param "n" : index
  %a = vyre.buffer "a" read_write binding 0 : memref<?x8x?xf32>
  %tile = vyre.buffer "tile" workgroup : memref<4xf32>
  %flag = vyre.param "flag" : i1
  %half = vyre.param "half" : f16
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %x = arith.constant 1.0 : f32
  scf.if %flag {
    vyre.trap "first"
  }
  scf.for %k = %zero to %n step %one {
    vyre.store %x, %a[%k, %zero, %zero] : memref<?x8x?xf32>
  }
  vyre.barrier grid_sync
  %late = arith.cmpi slt, %n, %one : index
  scf.if %late {
    vyre.trap "second" at %n : index
  }
  vyre.store %x, %a[%zero, %zero, %zero] : memref<?x8x?xf32>
}
"""


def test_what_a_launch_passes():
    kernel = kernel_of(program_in(EVERYTHING), is_guarded=True)
    assert kernel.name == "everything_kernel"
    assert kernel.arguments == (
        ValueArgument("n", IndexType()),
        BufferArgument("a", f32, (0, 2)),
        ValueArgument("flag", i1),
        ValueArgument("half", f16),
    )
    assert kernel.extras == (Extra.GUARD, Extra.TRAP, Extra.STOP, Extra.GRID)
    assert kernel.workgroup == (8, 4, 2)
    assert kernel.is_cooperative
    assert [trap.tag.data for trap in kernel.traps] == ["first", "second"]


def test_the_program_stays_as_it_is():
    program = program_in(EVERYTHING)
    before = str(program)
    kernel_of(program)
    assert str(program) == before


def test_text_is_the_same_every_time():
    first, second = (kernel_of(program_in(EVERYTHING)).source for _ in range(2))
    assert first == second


SCALED = """
vyre.program @scaled [32, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xf32>
  %i = vyre.invocation_id x
  %x = vyre.load %a[%i] : memref<?xf32>
  %y = arith.addf %x, %x : f32
  vyre.store %y, %a[%i] : memref<?xf32>
}
"""


def test_ids_of_large_grids_have_64_bits():
    program = program_in(SCALED)
    wide = "const unsigned long long i = (unsigned long long)blockIdx.x * 32 + threadIdx.x;"
    assert wide in kernel_of(program).source
    short = "const unsigned int i = blockIdx.x * 32 + threadIdx.x;"
    assert short in kernel_of(program, USUAL).source


def test_known_sizes_are_not_asked_for():
    setting = Setting(grid=(2, 1, 1), sizes={"a": (50,)})
    kernel = kernel_of(program_in(SCALED), setting)
    assert "if (i < 50) a[i]" in kernel.source
    values = np.arange(50, dtype=np.float32)
    found = run_kernel(kernel, {"a": values}, (2, 1, 1), host_device())
    assert (found["a"] == 2 * values).all()


def test_a_guarded_kernel_looks_first():
    kernel = kernel_of(program_in(SCALED), is_guarded=True)
    body = kernel.source[kernel.source.index("{") :].splitlines()
    assert body[1] == "  if (*vyre_guard == 0) return;"
    assert kernel.extras == (Extra.GUARD,)


def test_scratch_that_predication_adds_is_an_argument():
    """Everyone must learn whether anyone is alive, through a word of the whole grid."""
    text = """
vyre.program @any [32, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<?xi32>
  %limit = vyre.buffer "limit" read_only binding 1 : memref<1xindex>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %x = arith.constant 1 : i32
  %i = vyre.invocation_id x
  %size = vyre.length %a, 0 : memref<?xi32>
  %end = scf.while (%k = %zero) : (index) -> index {
    %n = vyre.load %limit[%zero] : memref<1xindex>
    %go = arith.cmpi ult, %k, %n : index
    scf.condition(%go) %k : index
  } do {
  ^trip(%k: index):
    vyre.store %x, %a[%i] : memref<?xi32>
    %leaves = arith.cmpi uge, %i, %size : index
    scf.if %leaves {
      vyre.return
    }
    vyre.barrier grid_sync
    %next = arith.addi %k, %one : index
    scf.yield %next : index
  }
}
"""
    last = kernel_of(program_in(text)).arguments[-1]
    assert isinstance(last, ScratchArgument)
    assert last.scope is ScratchScope.SINGLE


def test_an_unknown_operation_is_refused():
    text = """
vyre.program @unknown [32, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<1xf32>
  %zero = arith.constant 0 : index
  %x = ub.poison : f32
  vyre.store %x, %a[%zero] : memref<1xf32>
}
"""
    with pytest.raises(Refusal, match="has no CUDA"):
        kernel_of(program_in(text))


TRAPPED = """
vyre.program @trapped [32, 1, 1] {
  %a = vyre.buffer "a" read_write binding 0 : memref<64xi32>
  %i = vyre.invocation_id x
  %limit = arith.constant 64 : index
  %outside = arith.cmpi uge, %i, %limit : index
  scf.if %outside {
    vyre.trap "outside"
  }
  %j = arith.addi %i, %i : index
  %x = vyre.load %a[%j] : memref<64xi32>
}
"""


def test_ranges_of_those_who_go_on_after_a_trap():
    """In kernels whose workgroups wait for each other, they do."""
    program = program_in(TRAPPED)
    load = next(op for op in program.walk() if isinstance(op, LoadOp))
    index = load.indices[0]
    assert number_ranges(program, USUAL)[index] == Range(0, 126)
    assert number_ranges(program, USUAL, traps_end=False)[index].hi > 126


def test_ranges_of_ids():
    program = program_in(TRAPPED)
    id = next(op for op in program.walk() if isinstance(op, InvocationIdOp)).id
    assert number_ranges(program, Setting())[id].hi == 2**40 - 1
    assert number_ranges(program, USUAL)[id].hi < 2**31
    assert number_ranges(program, Setting(grid=(4, 1, 1)))[id] == Range(0, 127)
