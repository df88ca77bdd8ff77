"""
Launches of one program that run together, as a loop over what they pass.

Hundreds of calls, each with its literals, take LLVM longer than all the rest of a program:

```llvm
call void @phase.p(..., i64 0, i64 75)
call void @phase.p(..., i64 1, i64 150)
...
```

So literals that differ are in a table, and there is one call in a loop over its rows. What
is the same in all launches is passed as ever. Programs that run together have nothing to do
with each other, so that those which are the same may follow each other.
"""

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from llvmlite import ir

from vyre.analysis.uniformity import Level
from vyre.dialects import vyre
from vyre.lowering.llvm.clipping import effect_level
from vyre.lowering.llvm.costs import operations
from vyre.lowering.llvm.counting import counted
from vyre.lowering.llvm.values import INDEX

FEW = 4
"""Launches that are called one by one."""


@dataclass(frozen=True, eq=False)
class Batch:
    """A program, and what its launches pass: rows of registers."""

    program: vyre.ProgramOp
    rows: Sequence[Sequence[ir.Value]]

    @property
    def count(self) -> int:
        """How many launches there are."""
        return len(self.rows)

    @cached_property
    def cost(self) -> int:
        """Operations that each invocation executes in all of them."""
        return 0 if self.is_once else self.count * operations(self.program)

    @cached_property
    def is_once(self) -> bool:
        """Whether one workgroup is enough, because all would do the same."""
        return effect_level(self.program) is Level.GRID

    @cached_property
    def is_table(self) -> list[bool]:
        """Whether a register is a literal that is not the same in all rows."""
        return [len(set(map(_said, column))) > 1 for column in zip(*self.rows)]

    @property
    def passed(self) -> list[ir.Value]:
        """The registers that are the same in all rows."""
        pairs = zip(self.rows[0], self.is_table, strict=True)
        return [register for register, is_table in pairs if not is_table]

    @cached_property
    def key(self) -> Hashable:
        """The same for batches whose code is the same."""
        columns = zip(zip(*self.rows), self.is_table)
        tables = [tuple(map(_said, column)) for column, is_table in columns if is_table]
        return self.program, self.count, tuple(self.is_table), tuple(tables)

    def emit(
        self,
        builder: ir.IRBuilder,
        passed: Sequence[ir.Value],
        call: Callable[[Sequence[ir.Value]], object],
    ) -> None:
        """Call for each row."""
        tables = self._tables(builder.module)
        if not tables:
            for _ in self.rows:
                call(passed)
            return
        zero, count = ir.Constant(INDEX, 0), ir.Constant(INDEX, self.count)
        with counted(builder, zero, count, "launch") as (row, _):
            given = iter(passed)
            registers: list[ir.Value] = []
            for place, is_table in enumerate(self.is_table):
                if is_table:
                    address = builder.gep(tables[place], [zero, row], inbounds=True)
                    registers.append(builder.load(address))
                else:
                    registers.append(next(given))
            call(registers)

    def _tables(self, module: ir.Module) -> dict[int, ir.GlobalVariable]:
        """The columns of literals that differ, by their places."""
        found: dict[int, ir.GlobalVariable] = {}
        for place, is_table in enumerate(self.is_table):
            if is_table:
                column = [row[place] for row in self.rows]
                type = ir.ArrayType(column[0].type, self.count)
                name = module.get_unique_name("literals")
                table = found[place] = ir.GlobalVariable(module, type, name)
                table.initializer = ir.Constant(type, column)
                table.global_constant = True
                table.linkage = "internal"
        return found


def batches(
    launches: Iterable[tuple[vyre.ProgramOp, Sequence[ir.Value]]],
) -> list[Batch]:
    """
    Launches that run together, those of a program that differ in literals as one.

    Example: `batches([(program, registers), (program, others)])[0].count` is 2.
    """
    same: dict[Hashable, list[tuple[vyre.ProgramOp, Sequence[ir.Value]]]] = {}
    for program, registers in launches:
        key = (program, *(None if _is_literal(r) else r for r in registers))
        same.setdefault(key, []).append((program, registers))
    result: list[Batch] = []
    for found in same.values():
        program, rows = found[0][0], [registers for _, registers in found]
        is_many = len(rows) > FEW
        result += [Batch(program, part) for part in ([rows] if is_many else zip(rows))]
    return result


def shared_out(together: Iterable[Batch]) -> tuple[list[ir.Value], list[list[int]]]:
    """
    The registers that batches are passed, each once unless it is a literal, and for each
    batch the places of its own.

    Example: `shared_out([batch, batch])[1]` is `[[0], [0]]` if one register is passed.
    """
    passed: list[ir.Value] = []
    places: list[list[int]] = []
    known: dict[ir.Value, int] = {}
    for batch in together:
        own: list[int] = []
        for register in batch.passed:
            if _is_literal(register) or register not in known:
                known[register] = len(passed)
                passed.append(register)
            own.append(known[register])
        places.append(own)
    return passed, places


def _is_literal(register: ir.Value) -> bool:
    return isinstance(register, ir.Constant)


def _said(register: ir.Value) -> Hashable:
    return str(register) if _is_literal(register) else register
