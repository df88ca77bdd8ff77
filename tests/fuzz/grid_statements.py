"""Statements without code inside: stores, atomics, variables, copies, subgroups, ends."""

from grid_expressions import Expressions, names
from grid_memory import (
    FLAG,
    SHARED,
    TICKETS,
    Buffer,
    Flight,
    Level,
    Memref,
    Value,
    owned,
    single,
    updated,
)
from grid_policies import TYPES
from grid_writer import Block, Cell

ATOMIC_TYPES = ("i32", "i64", "index")
COMMUTATIVE = "add and or xor min max umin umax".split()
REDUCTIONS = "add mul and or xor min max umin umax".split()


class Statements(Expressions):
    """Writes statements that keep to the roles of buffers in the present phase."""

    once = True
    """Whether the present code runs at most once in a phase."""
    held = 0
    """Things that started and must be finished by whoever started them: no returns."""
    returns_left = 2
    number = Value("%lin", "index", Level.LANE)
    """Which invocation this is."""
    group_number = Value("%group", "index", Level.GROUP)
    """Where its workgroup is along x."""
    never = Value("%never", "i1", Level.GRID)
    """A parameter that is always false."""
    counter: Memref | None = None
    """Hands out tickets, and is written by nothing else."""

    def compute(self) -> None:
        cells = self.cells(lambda _: True)
        if cells and self.chance(0.4):
            self.get(self.some(cells))
        else:
            self.value(self.policy.type(self.rng), Level.LANE, 3)

    # Conditions

    def condition(self, level: Level) -> Value:
        """Something that is true for some, or false at all times."""
        match self.weighted({"never": 0.08, "rare": 0.4, "any": 0.3, "compare": 0.4}):
            case "never":
                return self.never
            case "rare":
                return self.rare(level)
            case "any":
                return self.value("i1", level, 2)
            case _:
                return self.comparison(level, 2)

    def rare(self, level: Level) -> Value:
        """True for one in a few: a remainder that has a certain value."""
        rest = self.among(level)
        wanted = self.index(self.rng.randrange(5))
        text = f"arith.cmpi eq, {rest.name}, {wanted.name} : index"
        return self.define(text, "i1", rest.level)

    def among(self, level: Level) -> Value:
        """One of the first few numbers."""
        numbers = {Level.LANE: self.number, Level.GROUP: self.group_number}
        number = numbers.get(level)
        if number is None or self.chance(0.4):
            number = self.value("index", level, 2)
        divisor = self.index(self.rng.randint(2, 5))
        text = f"arith.remui {number.name}, {divisor.name} : index"
        return self.hidden(text, "index", number.level)

    # Stores

    def writable(self, *types: str) -> list[Memref]:
        """Buffers that anything may be written to, if their role allows it."""
        return self.memrefs(
            lambda m: m.like.writable and not m.like.exact and m.like.element in types
        )

    def store(self) -> bool:
        """Store something at a slot of the invocation's own."""
        memrefs = [
            memref
            for memref in self.writable(*TYPES)
            if (self.roles.role(memref) or ("owned",))[0] == "owned"
        ]
        if self.chance(0.5):
            memrefs = [m for m in memrefs if m.like in self.read_from] or memrefs
        if not memrefs:
            return False
        memref = self.some(memrefs)
        slot = self.own_slot(memref)
        if slot is None:
            return False
        if self.policy.leaves_bounds and self.chance(0.2):
            text = f"arith.addi {slot.name}, {self.slot_count.name} : index"
            slot = self.hidden(text, "index", slot.level)
        self.store_at(memref, slot, self.value(memref.like.element))
        return True

    def store_at(
        self, memref: Memref, slot: Value, value: Value, part: int | None = None
    ) -> None:
        at = names(self.indices(memref, slot, part))
        self.line(f"vyre.store {value.name}, {memref.name}[{at}] : {memref.like.memref}")

    def flag(self) -> bool:
        """Everyone, or some, store the same value to the same element."""
        memrefs = [
            memref
            for memref in self.writable(*TYPES)
            if memref.like.scope is Level.GRID and self.roles.fits(memref, FLAG)
        ]
        if not self.once or not memrefs:
            return False
        self.raise_flag(self.some(memrefs), None)
        return True

    def raise_flag(self, memref: Memref, value: Value | None) -> None:
        self.roles.claim(memref, FLAG)
        value = value or self.value(memref.like.element, Level.GRID)
        slot = self.readable_slot(memref, Level.GRID)
        at = names(self.indices(memref, slot))
        text = f"vyre.store {value.name}, {memref.name}[{at}] : {memref.like.memref}"
        if self.chance(0.5):
            self.line(text)
        else:
            condition = self.condition(Level.LANE)
            self.line(f"scf.if {condition.name} {{\n{text}\n}}")

    def single(self) -> bool:
        """One invocation reads and writes anything."""
        chosen = self.rng.randrange(min(self.least_slots, 3))
        memrefs = [
            memref
            for memref in self.writable(*TYPES)
            if self.roles.fits(memref, single(chosen)) and memref.like.scope is Level.GRID
        ]
        if not memrefs:
            return False
        memref = self.some(memrefs)
        self.roles.claim(memref, single(chosen))
        text = f"arith.cmpi eq, {self.number.name}, {self.index(chosen).name} : index"
        condition = self.hidden(text, "i1", Level.LANE)
        self.line(f"scf.if {condition.name} {{")
        with self.nested(Level.LANE):
            for _ in range(self.rng.randint(1, 2)):
                slot = self.readable_slot(memref, Level.LANE)
                if memref.like.readable and self.chance(0.4):
                    self.load_at(memref, slot)
                self.store_at(memref, slot, self.value(memref.like.element))
        self.line("}")
        return True

    # Atomics

    def update(self) -> bool:
        """Everyone updates anything, in whatever order, and nobody looks at old values."""
        kind = self.rng.choice(COMMUTATIVE)
        memrefs = [
            memref
            for memref in self.memrefs(
                lambda m: m.like.writable and m.like.readable and _is_atomic(m.like)
            )
            if self.roles.fits(memref, updated("add" if memref.like.exact else kind))
        ]
        if not memrefs:
            return False
        memref = self.some(memrefs)
        kind = "add" if memref.like.exact else kind
        self.roles.claim(memref, updated(kind))
        old = self._atomic(kind, self._operand(memref), memref, None)
        if memref.like.element in ATOMIC_TYPES and self.chance(0.3):
            zero = self.constant(old.type, 0)
            self.define(
                f"arith.andi {old.name}, {zero.name} : {old.type}", old.type, old.level
            )
        return True

    def _operand(self, memref: Memref) -> Value:
        if not memref.like.exact:
            return self.value(memref.like.element)
        return self.converted_small(self.value("i8"), memref.like.element)

    def converted_small(self, value: Value, type: str) -> Value:
        """A small whole number as a float."""
        text = f"arith.sitofp {value.name} : i8 to {type}"
        return self.define(text, type, value.level)

    def _atomic(
        self, kind: str, operand: Value, memref: Memref, slot: Value | None
    ) -> Value:
        slot = slot or self.readable_slot(memref, Level.LANE)
        at = names(self.indices(memref, slot))
        ordering = self.rng.choice(("", "", " ordering relaxed", " ordering acq_rel"))
        text = f"{operand.name}, {memref.name}[{at}]{ordering} : {memref.like.memref}"
        text = (
            f"vyre.atomic_cas {kind}, {text}"
            if "%" in kind
            else f"vyre.atomic {kind} {text}"
        )
        return self.hidden(text, memref.like.element, Level.LANE)

    def own_atomic(self) -> bool:
        """An atomic at a slot of the invocation's own, whose old value is certain."""
        memrefs = [m for m in self.writable(*ATOMIC_TYPES, "f32", "f64") if m.like.readable]
        memref = self.some(memrefs) if memrefs else None
        slot = None if memref is None else self.own_slot(memref)
        if memref is None or slot is None:
            return False
        kind = self.rng.choice(["exchange", *COMMUTATIVE])
        if memref.like.element not in ATOMIC_TYPES:
            kind = "add"
        elif self.chance(0.3):
            kind = self.value(memref.like.element).name
        old = self._atomic(kind, self.value(memref.like.element), memref, slot)
        self.block.values.append(old)
        self.kept[old.name] = self.roles.phase.grid
        return True

    def tickets(self) -> bool:
        """
        Everyone takes a number, and uses it after the next barrier in a way that does not
        depend on who has which.
        """
        if not self.once or self.counter is None or self.control is not Level.GRID:
            return False
        if not self.roles.fits(self.counter, TICKETS):
            return False
        self.roles.claim(self.counter, TICKETS)
        one = self.constant(self.counter.like.element, 1)
        ticket = self._atomic("add", one, self.counter, self.index(0))
        self.held += 1
        self.block.after_barrier.append(lambda: self._use_ticket(ticket))
        return True

    def _use_ticket(self, ticket: Value) -> None:
        self.held -= 1
        sums = [
            memref
            for memref in self.writable(ticket.type)
            if memref.like.readable and self.roles.fits(memref, updated("add"))
        ]
        number = ticket
        if ticket.type != "index":
            text = f"arith.index_cast {ticket.name} : {ticket.type} to index"
            number = self.hidden(text, "index", Level.LANE)
        slot = self.hidden(
            f"arith.remui {number.name}, {self.slot_count.name} : index",
            "index",
            Level.LANE,
        )
        lists = [
            memref
            for memref in self.writable(*TYPES)
            if memref.like.scope is Level.GRID and self.roles.fits(memref, owned(slot))
        ]
        if sums and self.chance(0.5):
            memref = self.some(sums)
            self.roles.claim(memref, updated("add"))
            at = self.readable_slot(memref, Level.GRID)
            self._atomic("add", ticket, memref, at)
        elif lists:
            memref = self.some(lists)
            self.roles.claim(memref, owned(slot))
            self.store_at(memref, slot, self.value(memref.like.element, Level.GRID))

    # Variables

    def let(self) -> None:
        type = self.policy.type(self.rng)
        level = self.rng.choice((Level.GRID, Level.LANE, Level.LANE))
        start = self.value(type, level)
        cell = Cell(self.fresh("x"), type, level)
        self.line(f'{cell.name} = vyre.let "x" = {start.name} : {type}')
        self.block.cells.append(cell)

    def assign(self) -> bool:
        cells = self.cells(lambda cell: cell.level >= self.control)
        if not cells:
            return False
        cell = self.some(cells)
        if self.chance(0.5):
            self.get(cell)
        value = self.value(cell.type, cell.level)
        self.line(f"vyre.assign {value.name}, {cell.name} : !vyre.cell<{cell.type}>")
        return True

    # Ends

    def end(self) -> bool:
        """Some, or all, invocations return."""
        if not self.may_return():
            return False
        self.returns_left -= 1
        level = self.rng.choice(list(Level))
        condition = self.rare(level) if self.chance(0.7) else self.condition(level)
        self.line(f"scf.if {condition.name} {{")
        with self.nested(condition.level):
            if self.chance(0.5):
                self.store()
        self.line("vyre.return\n}")
        return True

    def may_return(self) -> bool:
        return not self.held and self.returns_left > 0

    def trap(self) -> bool:
        if self.held:
            return False
        taken = self.policy.traps
        condition = self.rare(Level.LANE) if taken else self.never
        at = f" at {self.value('index').name} : index" if self.chance(0.5) else ""
        self.line(f'scf.if {condition.name} {{\nvyre.trap "t"{at}\n}}')
        return True

    # Subgroups

    def subgroup(self) -> bool:
        if self.control is Level.LANE:
            return False
        match self.rng.choice(("ballot", "shuffle", "reduce", "reduce")):
            case "ballot":
                text, type = f"vyre.subgroup_ballot {self.value('i1').name}", "i32"
            case "shuffle":
                type = self.policy.type(self.rng)
                value = self.value(type)
                lane = self.rng.choice((self.value("index"), self.slots(TILE)[0]))
                text = f"vyre.subgroup_shuffle {value.name}, {lane.name} : {type}"
            case _:
                type = self.policy.type(self.rng)
                floats = type.startswith("f")
                kinds = ("add", "mul", "min", "max") if floats else REDUCTIONS
                kind = self.rng.choice(kinds)
                text = f"vyre.subgroup_reduce {kind} {self.value(type).name} : {type}"
        self.define(text, type, Level.LANE)
        return True

    # Copies

    def copy(self) -> bool:
        """Copy to a slot of the invocation's own, and wait at once or later."""
        found = self.copy_operands()
        if found is None:
            return False
        source, target, slot = found
        self.roles.claim(source, SHARED)
        token, begin = self.fresh("t"), self.readable_slot(source, Level.LANE)
        self.start_copy(token, source, begin, target, slot)
        flight = self.take_off(token, source, target, slot)
        if not all(buffer.lingers for buffer in target.sources) or self.chance(0.15):
            self.land(flight, self.block)
        return True

    def copy_operands(
        self, *, lingering: bool = False
    ) -> tuple[Memref, Memref, Value] | None:
        """Where to copy from and to, and the slot there."""
        targets = [
            memref
            for memref in self.writable(*TYPES)
            if (self.roles.role(memref) or ("owned",))[0] == "owned"
            and not any(buffer in self.roles.in_flight for buffer in memref.sources)
            and (not lingering or all(buffer.lingers for buffer in memref.sources))
        ]
        self.rng.shuffle(targets)
        for target in targets:
            sources = self.memrefs(lambda m, t=target: self._may_copy(m, t))
            slot = self.own_slot(target) if sources else None
            if slot is not None:
                return self.some(sources), target, slot
        return None

    def _may_copy(self, source: Memref, target: Memref) -> bool:
        """Whether a buffer may be copied from, with one of the two in the grid's memory."""
        return (
            source.like.element == target.like.element
            and source.like.readable
            and not set(source.sources) & set(target.sources)
            and not source.like.scope is target.like.scope is Level.GROUP
            and self.roles.fits(source, SHARED)
        )

    def start_copy(
        self, token: str, source: Memref, begin: Value, target: Memref, slot: Value
    ) -> None:
        op = "store" if source.like.scope is Level.GROUP else "load"
        start = names(self.indices(source, begin, 0)), names(self.indices(target, slot, 0))
        count = self.index(self._most_copied(source.like, target.like))
        if self.chance(0.2):
            length = self.value("index")
            text = f"arith.minui {count.name}, {length.name} : index"
            count = self.hidden(text, "index", length.level)
        self.line(
            f"{token} = vyre.async_{op} {source.name}[{start[0]}], "
            f"{target.name}[{start[1]}], {count.name} : "
            f"{source.like.memref}, {target.like.memref}"
        )

    def take_off(self, token: str, source: Memref, target: Memref, slot: Value) -> Flight:
        """Nobody touches the buffers of a copy until the present block waits for it."""
        flight = Flight(token, ((source, SHARED), (target, owned(slot))))
        self.block.flights.append(flight)
        self.roles.in_flight += flight.buffers
        self.held += 1
        return flight

    def land(self, flight: Flight, block: Block) -> None:
        """Wait for a copy that a block has started."""
        self.line(f"vyre.async_wait {flight.token}")
        block.flights.remove(flight)
        self.held -= 1
        for buffer in flight.buffers:
            self.roles.in_flight.remove(buffer)

    def _most_copied(self, source: Buffer, target: Buffer) -> int:
        """Elements of a slot that lie beside each other in both buffers."""
        widths = [1 if b.layout == "columns" else b.width for b in (source, target)]
        return self.rng.randint(0, min(widths)) or 1


def _is_atomic(buffer: Buffer) -> bool:
    floats = ("f32", "f64") if buffer.exact else ()
    return buffer.element in ATOMIC_TYPES + floats


TILE = Buffer("", "index", "", 1, "flat", Level.GROUP)
"""Any workgroup buffer, to ask for indices below the size of a workgroup."""
