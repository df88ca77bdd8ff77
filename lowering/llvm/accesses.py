"""
Loads, stores and atomics on buffers.

Each index is compared with its own size, as an unsigned number. Outside, a load gives zero,
a store does nothing, and an atomic gives zero and does nothing; `inbounds` accesses are not
compared. The check is a branch, likely to find the access inside, which LLVM turns into
masks where it vectorises.
"""

from collections.abc import Callable, Container, Generator, Sequence
from contextlib import contextmanager

from llvmlite import ir
from xdsl.dialects.builtin import AnyFloat
from xdsl.ir import Attribute, Operation, SSAValue

from vyre.dialects.vyre import AtomicCasOp, AtomicOp, LoadOp, StoreOp
from vyre.dialects.vyre.attributes import AtomicKind
from vyre.dialects.vyre.buffers import memref_type
from vyre.lowering.llvm.metadata import Parallel
from vyre.lowering.llvm.shifted_rows import Shift
from vyre.lowering.llvm.types import (
    from_storage,
    register_type,
    storage_type,
    to_storage,
)
from vyre.lowering.llvm.values import Environment, Place

_ATOMICS = {
    AtomicKind.ADD: "add",
    AtomicKind.OR: "or",
    AtomicKind.AND: "and",
    AtomicKind.XOR: "xor",
    AtomicKind.MIN: "min",
    AtomicKind.MAX: "max",
    AtomicKind.UMIN: "umin",
    AtomicKind.UMAX: "umax",
    AtomicKind.EXCHANGE: "xchg",
}


class AccessCode:
    """
    Emits accesses of one function; plain ones are those of a parallel loop. `inside` are
    accesses that are known to be inside their buffers.
    """

    def __init__(
        self,
        builder: ir.IRBuilder,
        values: Environment,
        parallel: Parallel,
        inside: Container[Operation] = (),
    ):
        self._builder = builder
        self._values = values
        self._parallel = parallel
        self._inside_ops = inside
        self._inside_loop: Container[Operation] = ()
        self._leave_unless: Callable[[ir.Value], None] | None = None
        self.shift: Shift | None = None
        """What buffers may be addressed by instead of the place in the workgroup."""

    @contextmanager
    def known(self, accesses: Container[Operation]) -> Generator[None]:
        """Let accesses be known to be inside their buffers, for a while."""
        before, self._inside_loop = self._inside_loop, accesses
        yield
        self._inside_loop = before

    @contextmanager
    def leaving(self, leave_unless: Callable[[ir.Value], None]) -> Generator[None]:
        """
        For a while, let code go elsewhere if an element is outside its buffer; what is
        given emits the branch for a condition.
        """
        before, self._leave_unless = self._leave_unless, leave_unless
        yield
        self._leave_unless = before

    def load(self, op: LoadOp) -> None:
        indices = self._indices(op.indices)
        found = self.element(op.buffer, indices, checked=self._is_checked(op))
        self._values.bind([op.value], [found])

    def store(self, op: StoreOp) -> None:
        indices = self._indices(op.indices)
        value = self._values.scalar(op.value)
        self.put(op.buffer, indices, value, checked=self._is_checked(op))

    def _is_checked(self, op: LoadOp | StoreOp) -> bool:
        is_known = op in self._inside_ops or op in self._inside_loop
        return op.inbounds is None and not is_known

    def element(
        self, buffer: SSAValue, indices: Sequence[ir.Value], *, checked: bool = True
    ) -> ir.Value:
        """An element of a buffer, zero if there is none."""
        element = memref_type(buffer).element_type

        def load(address: ir.Value) -> ir.Value:
            stored = self._builder.load(address, typ=storage_type(element))
            self._parallel.mark(stored)
            return from_storage(self._builder, stored, element)

        return self._inside(buffer, indices, load, checked=checked)

    def put(
        self,
        buffer: SSAValue,
        indices: Sequence[ir.Value],
        value: ir.Value,
        *,
        checked: bool = True,
    ) -> None:
        """Write an element of a buffer, if there is one."""
        element = memref_type(buffer).element_type

        def store(address: ir.Value) -> None:
            stored = to_storage(self._builder, value, element)
            self._parallel.mark(self._builder.store(stored, address))

        if not checked:
            store(self._address(buffer, indices))
            return
        place = self._values.place(buffer)
        with self._builder.if_then(self._is_inside(place, indices), likely=True):
            store(self._address(buffer, indices))

    def atomic(self, op: AtomicOp) -> None:
        value = self._values.scalar(op.value)
        kind = _ATOMICS[op.kind.data]
        if isinstance(op.value.type, AnyFloat):
            kind = f"f{kind}"

        def update(address: ir.Value) -> ir.Value:
            return self._builder.atomic_rmw(kind, address, value, "seq_cst")

        found = self._inside(
            op.buffer, self._indices(op.indices), update, checked=op.inbounds is None
        )
        self._values.bind([op.old], [found])

    def atomic_cas(self, op: AtomicCasOp) -> None:
        expected = self._values.scalar(op.expected)
        desired = self._values.scalar(op.desired)

        def swap(address: ir.Value) -> ir.Value:
            found = self._builder.cmpxchg(address, expected, desired, "seq_cst", "seq_cst")
            return self._builder.extract_value(found, 0)

        found = self._inside(
            op.buffer, self._indices(op.indices), swap, checked=op.inbounds is None
        )
        self._values.bind([op.old], [found])

    def _indices(self, indices: Sequence[SSAValue]) -> list[ir.Value]:
        return [self._values.scalar(index) for index in indices]

    def _inside(
        self,
        buffer: SSAValue,
        indices: Sequence[ir.Value],
        access: Callable[[ir.Value], ir.Value],
        *,
        checked: bool,
    ) -> ir.Value:
        """What an access gives, zero outside the buffer."""
        builder = self._builder
        if not checked:
            return access(self._address(buffer, indices))
        inside = self._is_inside(self._values.place(buffer), indices)
        if self._leave_unless is not None:
            self._leave_unless(inside)
            return access(self._address(buffer, indices))
        outside = builder.block
        with builder.if_then(inside, likely=True):
            found = access(self._address(buffer, indices))
            origin = builder.block
        merged = builder.phi(found.type)
        merged.add_incoming(found, origin)
        merged.add_incoming(_zero(memref_type(buffer).element_type), outside)
        return merged

    def _is_inside(self, place: Place, indices: Sequence[ir.Value]) -> ir.Value:
        inside: ir.Value = ir.Constant(ir.IntType(1), 1)
        for index, size in zip(indices, place.sizes, strict=True):
            smaller = self._builder.icmp_unsigned("<", index, size)
            inside = self._builder.and_(inside, smaller)
        return inside

    def _address(self, buffer: SSAValue, indices: Sequence[ir.Value]) -> ir.Value:
        builder, place = self._builder, self._values.place(buffer)
        element = storage_type(memref_type(buffer).element_type)
        if not indices:
            return place.address
        position = indices[0]
        if self.shift is not None and len(indices) == 1 and position is self.shift.place:
            return self.shift.address(builder, place.address, element)
        for index, size in zip(indices[1:], place.sizes[1:]):
            position = builder.add(builder.mul(position, size), index)
        return builder.gep(place.address, [position], source_etype=element)


def _zero(element: Attribute) -> ir.Constant:
    type = register_type(element)
    return ir.Constant(type, 0.0 if isinstance(element, AnyFloat) else 0)
