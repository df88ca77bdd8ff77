"""
The code around launches: the control flow of a schedule, as every worker runs it.

What a launch is, where scratch lies and how a value is read back is up to the subclass: a
schedule of the grid is run by all workers together (see `entries`), one of a workgroup by
one worker alone (see `workgroups`).
"""

from abc import abstractmethod

from llvmlite import ir
from typing_extensions import override
from xdsl.ir import Operation

from vyre.dialects import vyre
from vyre.dialects.refusal import Refusal
from vyre.lowering.llvm.context import Context
from vyre.lowering.llvm.control import ControlCode
from vyre.lowering.llvm.invocations import Three
from vyre.lowering.llvm.types import from_storage, storage_type
from vyre.lowering.llvm.values import INDEX, Environment


class HostCode(ControlCode):
    """
    Emits the operations of a schedule.

    Example: see `vyre.lowering.llvm.entries`.
    """

    def __init__(
        self,
        builder: ir.IRBuilder,
        values: Environment,
        context: Context,
        groups: Three,
        sizes: Three,
        over: ir.Block,
    ):
        super().__init__(builder, values)
        self.context = context
        self.groups = groups
        self.sizes = sizes
        self.over = over

    @abstractmethod
    def launch(self, op: vyre.LaunchOp) -> None:
        """Run a program over the grid."""

    @abstractmethod
    def scratch(self, op: vyre.ScratchOp) -> None:
        """Say where scratch is."""

    @abstractmethod
    def read_back(self, op: vyre.ReadBackOp) -> None:
        """Take a value from a buffer, after all launches before."""

    @override
    def poll(self) -> None:
        self.leave_if(self.context.is_over(self.builder))

    def leave_if(self, is_over: ir.Value) -> None:
        """Leave the function if this is so."""
        on = self.builder.append_basic_block("on")
        self.builder.cbranch(is_over, self.over, on)
        self.builder.position_at_end(on)

    @override
    def effect(self, op: Operation) -> bool:
        values = self.values
        match op:
            case vyre.BufferOp() | vyre.ParamOp():
                pass
            case vyre.ScratchOp():
                self.scratch(op)
            case vyre.WorkgroupCountOp():
                values.bind([op.id], [self.groups[op.axis.data.position]])
            case vyre.WorkgroupSizeOp():
                values.bind([op.id], [self.sizes[op.axis.data.position]])
            case vyre.LengthOp():
                size = values.size(op.buffer, op.dim.value.data)
                values.bind([op.length], [size])
            case vyre.LaunchOp():
                self.launch(op)
            case vyre.ReadBackOp():
                self.read_back(op)
            case _:
                raise Refusal(
                    f"a schedule cannot execute '{op.name}'",
                    fix="lower it to arith, math, scf and vyre operations",
                    at=op,
                )
        return True

    def element(self, op: vyre.ReadBackOp) -> ir.Value:
        """
        The element that is read back, as it is stored; zeros if there is none.
        """
        builder = self.builder
        place = self.values.place(op.source)
        type = storage_type(op.value.type)
        inside: ir.Value = ir.Constant(ir.IntType(1), 1)
        position: ir.Value = ir.Constant(INDEX, 0)
        for index, size in zip(op.position.get_values(), place.sizes, strict=True):
            here = ir.Constant(INDEX, index)
            inside = builder.and_(inside, builder.icmp_unsigned("<", here, size))
            position = builder.add(builder.mul(position, size), here)
        outside = builder.block
        with builder.if_then(inside):
            address = builder.gep(place.address, [position], source_etype=type)
            found = builder.load(address, typ=type)
            origin = builder.block
        merged = builder.phi(type)
        merged.add_incoming(found, origin)
        merged.add_incoming(ir.Constant(type, None), outside)
        return merged

    def in_register(self, op: vyre.ReadBackOp, stored: ir.Value) -> ir.Value:
        """A value that was read back, as it is computed with."""
        return from_storage(self.builder, stored, op.value.type)
