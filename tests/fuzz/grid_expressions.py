"""Expressions of every type, at a chosen level of uniformity."""

from collections.abc import Mapping

from grid_memory import SHARED, Buffer, Level, Memref, Value, owned
from grid_policies import FLOATS, INTEGERS, TYPES
from grid_writer import LIMITS, Cell, Writer

ON_INTEGERS = """addi addi subi subi muli divsi divui remsi remui floordivsi ceildivsi
ceildivui minsi maxsi minui maxui andi ori xori xori shli shrui shrsi""".split()
ON_BITS = "andi ori xori addi".split()
ON_FLOATS = "addf addf subf mulf divf minimumf maximumf minnumf maxnumf".split()
OF_ONE_INTEGER = "math.absi math.ctpop math.ctlz math.cttz".split()
OF_ONE_FLOAT = """arith.negf math.absf math.floor math.ceil math.round math.roundeven
math.trunc math.sqrt""".split()
COMPARE_INTEGERS = "eq ne slt sle sgt sge ult ule ugt uge".split()
COMPARE_FLOATS = "oeq ogt oge olt ole one ord ueq ugt uge ult ule une uno".split()

WIDTHS = {"i1": 1, **{type: bits + 1 for type, bits in LIMITS.items()}} | {
    "f16": 16,
    "f32": 32,
    "f64": 64,
}

FORMS: Mapping[str, float] = {
    "old": 5,
    "constant": 1,
    "binary": 4,
    "unary": 1,
    "convert": 2,
    "select": 1,
    "load": 2.5,
    "get": 3,
    "length": 0.3,
}


def conversion(source: str, target: str) -> list[str]:
    """The operations that convert between two types."""
    if "index" in (source, target):
        both_integers = {source, target} <= set(INTEGERS)
        return ["index_cast"] if both_integers and source != target else []
    wider = WIDTHS[target] > WIDTHS[source]
    same_width = WIDTHS[target] == WIDTHS[source]
    match source in FLOATS, target in FLOATS:
        case False, False:
            return [] if same_width else ["extsi", "extui"] if wider else ["trunci"]
        case True, True:
            return [] if same_width else ["extf"] if wider else ["truncf"]
        case from_float, _:
            sign = ["fptosi", "fptoui"] if from_float else ["sitofp", "uitofp"]
            return sign + (["bitcast"] if same_width else [])


class Expressions(Writer):
    """Writes what computes a value; what it reads, it may read in the present phase."""

    least_slots = 1
    """Invocations of the smallest grid that the program runs on."""
    member_count = 1
    """Invocations of a workgroup."""
    slot_count = Value("%n", "index", Level.GRID)
    """How many invocations there are."""

    def value(self, type: str, level: Level = Level.LANE, depth: int = 2) -> Value:
        """An old value or a new one, at most so divergent."""
        if depth > 0:
            forms = dict(FORMS)
            while forms:
                form = self.weighted(forms)
                made = self._made(form, type, level, depth - 1)
                if made is not None:
                    return made
                del forms[form]
        return self.pick(type, level) or self.some_constant(type)

    def _made(self, form: str, type: str, level: Level, depth: int) -> Value | None:
        match form:
            case "old":
                return self.pick(type, level)
            case "constant":
                return self.some_constant(type)
            case "binary":
                return self._binary(type, level, depth)
            case "unary":
                return self._unary(type, level, depth)
            case "convert":
                return self._convert(type, level, depth)
            case "select":
                return self._select(type, level, depth)
            case "load":
                return self.load(type, level)
            case "get":
                return self._get(type, level)
            case _:
                return self._length(type)

    def _apply(self, op: str, *operands: Value, rest: str = "") -> Value:
        """An operation on operands of one type, which is that of the result too."""
        type = operands[0].type
        names = ", ".join(operand.name for operand in operands)
        level = max(operand.level for operand in operands)
        return self.define(f"{op} {names} : {type}", type, level)

    def _binary(self, type: str, level: Level, depth: int) -> Value:
        if type == "i1" and self.chance(0.7):
            return self.comparison(level, depth)
        ops = ON_BITS if type == "i1" else ON_FLOATS if type in FLOATS else ON_INTEGERS
        a, b = self.value(type, level, depth), self.value(type, level, depth)
        if type in FLOATS and self.chance(0.1):
            return self._apply("math.fma", a, b, self.value(type, level, 0))
        return self._apply(f"arith.{self.rng.choice(ops)}", a, b)

    def _unary(self, type: str, level: Level, depth: int) -> Value | None:
        if type == "i1":
            return None
        ops = OF_ONE_FLOAT if type in FLOATS else OF_ONE_INTEGER
        return self._apply(self.rng.choice(ops), self.value(type, level, depth))

    def comparison(self, level: Level, depth: int = 1) -> Value:
        type = self.policy.type(self.rng)
        a, b = self.value(type, level, depth), self.value(type, level, depth)
        name = "f" if type in FLOATS else "i"
        predicate = self.rng.choice(COMPARE_FLOATS if name == "f" else COMPARE_INTEGERS)
        text = f"arith.cmp{name} {predicate}, {a.name}, {b.name} : {type}"
        return self.define(text, "i1", max(a.level, b.level))

    def _convert(self, type: str, level: Level, depth: int) -> Value:
        sources = [source for source in TYPES if conversion(source, type)]
        value = self.value(self.policy.type(self.rng, sources), level, depth)
        return self.converted(value, type)

    def converted(self, value: Value, type: str) -> Value:
        """The value as another type, to which there must be a conversion."""
        if value.type == type:
            return value
        op = self.rng.choice(conversion(value.type, type))
        return self.define(
            f"arith.{op} {value.name} : {value.type} to {type}", type, value.level
        )

    def _select(self, type: str, level: Level, depth: int) -> Value:
        which = self.value("i1", level, depth)
        a, b = self.value(type, level, depth), self.value(type, level, 0)
        text = f"arith.select {which.name}, {a.name}, {b.name} : {type}"
        return self.define(text, type, max(which.level, a.level, b.level))

    def _get(self, type: str, level: Level) -> Value | None:
        cells = self.cells(lambda cell: cell.type == type and cell.level <= level)
        if not cells:
            return None
        return self.get(self.some(cells))

    def get(self, cell: Cell) -> Value:
        text = f"vyre.get {cell.name} : !vyre.cell<{cell.type}>"
        return self.define(text, cell.type, cell.level)

    def _length(self, type: str) -> Value | None:
        if type != "index":
            return None
        memref = self.some(self.memrefs(lambda _: True))
        dim = 0 if memref.like.layout == "flat" else self.rng.randrange(2)
        text = f"vyre.length {memref.name}, {dim} : {memref.like.memref}"
        return self.define(text, type, Level.GRID)

    # Loads

    def load(self, type: str, level: Level = Level.LANE) -> Value | None:
        """A load from a buffer that is shared, or at a slot of the invocation's own."""
        memrefs = self.memrefs(
            lambda m: m.like.element == type and m.like.readable and self._allows(m, level)
        )
        if not memrefs:
            return None
        memref = self.some(memrefs)
        own = self.own_slot(memref) if level is Level.LANE and self.chance(0.3) else None
        if own is not None or not self.roles.fits(memref, SHARED):
            own = own or self.own_slot(memref)
            return None if own is None else self.load_at(memref, own)
        self.roles.claim(memref, SHARED)
        slot = self.readable_slot(memref, level)
        return self.load_at(memref, slot, uniform=True)

    def _allows(self, memref: Memref, level: Level) -> bool:
        """Whether a load from here can be as uniform as that."""
        if level is Level.LANE:
            role = self.roles.role(memref)
            return role is None or role[0] in ("shared", "owned")
        steady = not any(buffer.lingers for buffer in memref.sources)
        return steady and memref.like.scope <= level and self.roles.fits(memref, SHARED)

    def own_slot(self, memref: Memref) -> Value | None:
        """The slot that this invocation owns in the present phase, if it can own one."""
        slots = self.slots(memref.like)
        fitting = [
            slot
            for slot in slots
            if slot.name in self.permutations and self.roles.fits(memref, owned(slot))
        ]
        if not fitting:
            return None
        slot = self.some(fitting)
        self.roles.claim(memref, owned(slot))
        return slot

    read_from: set[Buffer]
    """Buffers that something was loaded from."""
    steady_slots: list[Value]
    """Slots that differ between all invocations, and are the same in every phase."""
    permutations: set[str]
    """Names of all slots that differ between all invocations in the present phase."""

    def readable_slot(self, memref: Memref, level: Level) -> Value:
        """Any index inside a shared buffer."""
        local = memref.like.scope is Level.GROUP
        slots = self.slots(memref.like, level)
        if self.chance(0.3) or (local and not slots):
            return self.index(
                self.rng.randrange(self.member_count if local else self.least_slots)
            )
        if self.policy.leaves_bounds and self.chance(0.3):
            # Not a literal: one that is outside a buffer is refused.
            number, count = self.value("index", level, 1), self.slot_count
            far = f"arith.addi {number.name}, {count.name} : index"
            return self.hidden(far, "index", number.level)
        if not local and (not slots or self.chance(0.3)):
            return self.in_range(self.value("index", level, 1))
        return self.some(slots)

    def in_range(self, number: Value) -> Value:
        """The number modulo the number of invocations."""
        text = f"arith.remui {number.name}, {self.slot_count.name} : index"
        slot = self.hidden(text, "index", number.level)
        self.block.slots.append(slot)
        return slot

    def load_at(self, memref: Memref, slot: Value, *, uniform: bool = False) -> Value:
        """A load of one element of a slot; `uniform` if nobody writes it in this phase."""
        steady = uniform and not any(buffer.lingers for buffer in memref.sources)
        indices = self.indices(memref, slot)
        level = max(index.level for index in indices) if steady else Level.LANE
        text = f"vyre.load {memref.name}[{names(indices)}] : {memref.like.memref}"
        value = self.define(text, memref.like.element, max(level, memref.like.scope))
        self.kept[value.name] = self.roles.phase.grid
        self.read_from.update(memref.sources)
        return value

    def indices(self, memref: Memref, slot: Value, part: int | None = None) -> list[Value]:
        """The indices of an element of a slot, by default of any."""
        like = memref.like
        number = self.rng.randrange(like.width) if part is None else part
        if like.layout == "rows":
            return [slot, self.index(number)]
        if like.layout == "columns":
            return [self.index(number), slot]
        if like.width == 1:
            return [slot]
        width = self.index(like.width)
        first = self.hidden(
            f"arith.muli {slot.name}, {width.name} : index", "index", slot.level
        )
        if number == 0:
            return [first]
        text = f"arith.addi {first.name}, {self.index(number).name} : index"
        return [self.hidden(text, "index", slot.level)]


def names(values: list[Value]) -> str:
    return ", ".join(value.name for value in values)
