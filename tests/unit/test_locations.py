"""Operations know the user's line, also after passes that rebuild them."""

from dataclasses import dataclass
from pathlib import Path

import pytest
from xdsl.context import Context
from xdsl.dialects import arith
from xdsl.dialects.builtin import ModuleOp, i32
from xdsl.ir import Operation
from xdsl.passes import ModulePass
from xdsl.pattern_rewriter import (
    PatternRewriter,
    PatternRewriteWalker,
    RewritePattern,
    op_type_rewrite_pattern,
)
from xdsl.transforms.canonicalize import CanonicalizePass
from xdsl.transforms.common_subexpression_elimination import (
    CommonSubexpressionElimination,
)

import vyre
from vyre.diagnostics import InvalidProgram
from vyre.dialects.refusal import Refusal
from vyre.dialects.vyre import StoreOp, TrapOp
from vyre.locations import inherit_locations, is_unknown, place_of
from vyre.tools.vyre_opt import VyreOptMain

PROGRAM = """\
vyre.program @p [64, 1, 1] {
  %out = vyre.buffer "out" write_only binding 0 output : memref<?xi32>
  %i = vyre.invocation_id x
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %five = arith.addi %two, %three : i32
  vyre.store %five, %out[%i] : memref<?xi32>
}
"""


class _NegateStores(RewritePattern):
    """Replaces each store by a subtraction and a store, as a careless rewrite would."""

    @op_type_rewrite_pattern
    def match_and_rewrite(self, op: StoreOp, rewriter: PatternRewriter):
        zero = arith.ConstantOp.from_int_and_width(0, i32)
        negated = arith.SubiOp(zero, op.value)
        store = StoreOp(negated, op.buffer, op.indices)
        rewriter.replace(op, [zero, negated, store], [])


@dataclass(frozen=True)
class NegateStores(ModulePass):
    name = "test-negate-stores"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        PatternRewriteWalker(_NegateStores(), apply_recursively=False).rewrite_module(op)


@dataclass(frozen=True)
class RefuseStores(ModulePass):
    name = "test-refuse-stores"

    def apply(self, ctx: Context, op: ModuleOp) -> None:
        for inner in op.walk():
            if isinstance(inner, StoreOp):
                raise Refusal("stores are refused", fix="load instead", at=inner)


class OptWithTestPasses(VyreOptMain):
    def register_all_passes(self) -> None:
        super().register_all_passes()
        self.register_pass(NegateStores.name, lambda: NegateStores)
        self.register_pass(RefuseStores.name, lambda: RefuseStores)


def test_an_error_after_several_passes_points_at_the_users_line(tmp_path: Path):
    path = tmp_path / "prog.mlir"
    path.write_text(PROGRAM)
    passes = "canonicalize,cse,test-negate-stores,canonicalize,test-refuse-stores"
    with pytest.raises(InvalidProgram) as raised:
        OptWithTestPasses([str(path), "-p", passes]).run()
    assert str(raised.value) == (
        f"{path}:7:3: error: 'vyre.store': stores are refused\n"
        "  vyre.store %five, %out[%i] : memref<?xi32>\n"
        "  ^~~~~~~~~~\n"
        "Fix: load instead"
    )


def test_no_operation_is_without_a_location_after_a_pass():
    module = vyre.parse(PROGRAM)
    ctx = vyre.context()
    for pass_ in (CanonicalizePass(), CommonSubexpressionElimination(), NegateStores()):
        pass_.apply(ctx, module)
        inherit_locations(module)
        assert not [op.name for op in module.walk() if is_unknown(op.location)]


def line_of(op: Operation) -> int:
    place = place_of(op)
    assert place is not None
    return place.line


def test_a_new_constant_takes_the_line_of_its_use():
    module = vyre.parse(PROGRAM)
    CanonicalizePass().apply(vyre.context(), module)
    inherit_locations(module)
    constants = [op for op in module.walk() if isinstance(op, arith.ConstantOp)]
    assert [line_of(op) for op in constants] == [7]


def test_block_arguments_have_places():
    module = vyre.parse("""\
vyre.program @p [64, 1, 1] {
  %lb = arith.constant 0 : index
  %ub = vyre.workgroup_count x
  %step = arith.constant 1 : index
  scf.for %k = %lb to %ub
      step %step {
  }
}
""")
    loop = next(op for op in module.walk() if op.name == "scf.for")
    assert str(place_of(loop.regions[0].block.args[0])) == "<string>:5:11"


def test_explicit_locations_win(tmp_path: Path):
    source = tmp_path / "front_end.py"
    source.write_text("first line\nsecond line\n")
    module = vyre.parse(
        f'vyre.program @p [1, 1, 1] {{\n  vyre.trap "t" loc("{source}":2:8)\n}}'
    )
    trap = next(op for op in module.walk() if isinstance(op, TrapOp))
    place = place_of(trap)
    assert place is not None
    assert (place.file, place.line, place.column) == (str(source), 2, 8)
    assert place.text == "second line"


@pytest.mark.parametrize(
    "location",
    [
        'fused[unknown, "f.py":3:4]',
        'callsite("f.py":3:4 at "g.py":1:1)',
        '"name"("f.py":3:4)',
    ],
)
def test_composed_locations_are_resolved(location: str):
    module = vyre.parse(
        f'vyre.program @p [1, 1, 1] {{\n  vyre.trap "t" loc({location})\n}}'
    )
    trap = next(op for op in module.walk() if isinstance(op, TrapOp))
    assert str(place_of(trap)) == "f.py:3:4"


def test_code_that_was_never_in_a_file_is_quoted():
    module = ModuleOp([TrapOp("lost")])
    trap = module.body.block.first_op
    assert trap is not None
    text = str(InvalidProgram(trap, "is refused", "remove it"))
    assert text == (
        "error: 'vyre.trap': is refused\n"
        '  "vyre.trap"() <{tag = "lost", operandSegmentSizes = array<i32: 0, 0>}>'
        " : () -> ()\n"
        "Fix: remove it"
    )


def test_sources_of_the_same_name_are_not_confused():
    first = vyre.parse("// one\n" + PROGRAM)
    vyre.parse("// another\n// text\n" + PROGRAM)
    store = next(op for op in first.walk() if isinstance(op, StoreOp))
    place = place_of(store)
    assert place is not None
    assert place.text == "  vyre.store %five, %out[%i] : memref<?xi32>"
