"""Random programs in which invocations return, between barriers of all kinds."""

from random import Random

from vyre.analysis.uniformity import Level

GRID, WORKGROUP, INVOCATION = Level
VARIABLES = {"u": GRID, "w": WORKGROUP, "p": INVOCATION, "q": INVOCATION}


class Writer:
    """
    Writes random programs that end, are valid, and return in all kinds of places.

    Of the variables, `u` is the same in the whole grid and `w` in each workgroup; they are
    assigned only where control is that uniform. Invocations write elements of their own,
    and exchange values between two barriers.
    """

    def __init__(self, seed: int, *, traps: bool):
        self.rng = Random(seed)
        self.traps = traps
        self.count = 0

    def name(self) -> str:
        self.count += 1
        return f"%v{self.count}"

    def get(self, level: Level) -> tuple[str, str]:
        """A number that is at least this uniform."""
        usable = [name for name, own in VARIABLES.items() if own <= level]
        usable += [name for name in usable if VARIABLES[name] == level] * 3
        name = self.name()
        return name, f"{name} = vyre.get %{self.rng.choice(usable)} : !vyre.cell<i32>\n"

    def condition(self, level: Level) -> tuple[str, str]:
        value, code = self.get(level)
        amount, shifted, name = (self.name() for _ in range(3))
        return name, (
            f"{code}{amount} = arith.constant {self.rng.randint(0, 2)} : i32\n"
            f"{shifted} = arith.shrui {value}, {amount} : i32\n"
            f"{name} = arith.trunci {shifted} : i32 to i1\n"
        )

    def level(self) -> Level:
        return self.rng.choice((GRID, GRID, WORKGROUP, INVOCATION))

    def body(self, control: Level, depth: int) -> str:
        return "".join(
            self.statement(control, depth) for _ in range(self.rng.randint(1, 3))
        )

    def statement(self, control: Level, depth: int) -> str:
        kinds = ["assign", "assign", "store", "atomic", "load", "cas"]
        if control <= WORKGROUP:
            kinds += ["subgroup", "exchange", "copy"]
        if control == GRID:
            kinds += ["meet", "meet"]
        if depth < 3:
            kinds += ["branch", "choice", "loop", "loop", "counting", "test", "test"]
            kinds += ["region", "leave", "leave", "leave"]
            kinds += ["endless"] * (depth < 2) + ["trap"] * self.traps
        return getattr(self, self.rng.choice(kinds))(control, depth)

    # Straight-line code

    def assign(self, control: Level, depth: int) -> str:
        targets = [name for name, own in VARIABLES.items() if own >= control]
        target = self.rng.choice(targets)
        level = VARIABLES[target]
        (left, one), (right, two) = self.get(level), self.get(level)
        name, op = self.name(), self.rng.choice(("addi", "subi", "xori"))
        compute = f"{name} = arith.{op} {left}, {right} : i32\n"
        return f"{one}{two}{compute}vyre.assign {name}, %{target} : !vyre.cell<i32>\n"

    def store(self, control: Level, depth: int) -> str:
        value, code = self.get(INVOCATION)
        slot = self.rng.randint(0, 2)
        return f"{code}vyre.store {value}, %out[%x, %c{slot}] : memref<?x4xi32>\n"

    def atomic(self, control: Level, depth: int) -> str:
        value, code = self.get(INVOCATION)
        old, kind = self.name(), self.rng.choice(("add", "xor"))
        if self.rng.random() < 0.5:
            return f"{code}{old} = vyre.atomic {kind} {value}, %out[%x, %c3] : " + (
                f"memref<?x4xi32>\nvyre.assign {old}, %q : !vyre.cell<i32>\n"
            )
        return f"{code}{old} = vyre.atomic add {value}, %total[%c1] : memref<2xi32>\n"

    def cas(self, control: Level, depth: int) -> str:
        (one, first), (two, second) = self.get(INVOCATION), self.get(INVOCATION)
        old = self.name()
        return (
            f"{first}{second}{old} = vyre.atomic_cas {one}, {two}, %out[%x, %c3] : "
            f"memref<?x4xi32>\nvyre.assign {old}, %p : !vyre.cell<i32>\n"
        )

    def load(self, control: Level, depth: int) -> str:
        value, slot = self.name(), self.rng.randint(0, 3)
        return (
            f"{value} = vyre.load %out[%x, %c{slot}] inbounds : memref<?x4xi32>\n"
            f"vyre.assign {value}, %p : !vyre.cell<i32>\n"
        )

    def subgroup(self, control: Level, depth: int) -> str:
        value, code = self.get(INVOCATION)
        result = self.name()
        kind = self.rng.choice(
            ("add", "mul", "and", "or", "xor", "min", "max", "umin", "umax", "s", "b")
        )
        if kind == "s":
            code += f"{result} = vyre.subgroup_shuffle {value}, %neighbour : i32\n"
        elif kind == "b":
            bit = self.name()
            code += f"{bit} = arith.trunci {value} : i32 to i1\n"
            code += f"{result} = vyre.subgroup_ballot {bit}\n"
        else:
            code += f"{result} = vyre.subgroup_reduce {kind} {value} : i32\n"
        return f"{code}vyre.assign {result}, %q : !vyre.cell<i32>\n"

    def exchange(self, control: Level, depth: int) -> str:
        return self.swapped("%tile", "%l", "%opposite", "memref<40xi32>", "acq_rel")

    def meet(self, control: Level, depth: int) -> str:
        return self.swapped("%mail", "%x", "%neighbour", "memref<?xi32>", "grid_sync")

    def swapped(self, buffer: str, own: str, other: str, type: str, meeting: str) -> str:
        value, code = self.get(INVOCATION)
        found = self.name()
        return f"""{code}vyre.store {value}, {buffer}[{own}] : {type}
vyre.barrier {meeting}
{found} = vyre.load {buffer}[{other}] : {type}
vyre.assign {found}, %q : !vyre.cell<i32>
vyre.barrier {meeting}
"""

    def copy(self, control: Level, depth: int) -> str:
        token, value = self.name(), self.name()
        between = self.leave(control, depth) if self.rng.random() < 0.5 else ""
        types = "memref<?xi32>, memref<40xi32>"
        return f"""{token} = vyre.async_load %numbers[%x], %stage[%l], %c1 : {types}
{between}vyre.async_wait {token}
{value} = vyre.load %stage[%l] : memref<40xi32>
vyre.assign {value}, %q : !vyre.cell<i32>
"""

    # Ends

    def leave(self, control: Level, depth: int) -> str:
        if self.rng.random() < 0.05:
            return 'vyre.region "end" {\nvyre.return\n}\n'
        name, code = self.condition(self.level())
        end = self.store(control, depth) * self.rng.randint(0, 1) + "vyre.return\n"
        other = self.store(control, depth) * self.rng.randint(0, 1)
        if self.rng.random() < 0.3:
            end, other = other, end
        return f"{code}scf.if {name} {{\n{end}}} else {{\n{other}}}\n"

    def trap(self, control: Level, depth: int) -> str:
        name, code = self.condition(INVOCATION)
        return f'{code}scf.if {name} {{\nvyre.trap "t" at %x : index\n}}\n'

    # Control flow

    def branch(self, control: Level, depth: int) -> str:
        level = self.level()
        name, code = self.condition(level)
        inner = max(control, level)
        other = f" else {{\n{self.body(inner, depth + 1)}}}" * self.rng.randint(0, 1)
        return f"{code}scf.if {name} {{\n{self.body(inner, depth + 1)}}}{other}\n"

    def choice(self, control: Level, depth: int) -> str:
        level = self.level()
        name, code = self.condition(level)
        inner = max(control, level)
        target = self.rng.choice([v for v, own in VARIABLES.items() if own >= inner])
        (one, first), (two, second) = self.get(inner), self.get(inner)
        result = self.name()
        return f"""{code}{result} = scf.if {name} -> (i32) {{
{self.body(inner, depth + 1)}{first}scf.yield {one} : i32
}} else {{
{self.body(inner, depth + 1)}{second}scf.yield {two} : i32
}}
vyre.assign {result}, %{target} : !vyre.cell<i32>
"""

    def bound(self, level: Level) -> tuple[str, str]:
        value, code = self.get(level)
        low, name = self.name(), self.name()
        return name, (
            f"{code}{low} = arith.andi {value}, %three : i32\n"
            f"{name} = arith.index_cast {low} : i32 to index\n"
        )

    def loop(self, control: Level, depth: int) -> str:
        level = self.level()
        bound, code = self.bound(level)
        return f"""{code}scf.for {self.name()} = %c0 to {bound} step %c1 {{
{self.body(max(control, level), depth + 1)}}}
"""

    def counting(self, control: Level, depth: int) -> str:
        """Counts in a carried value, which may decide about meetings later."""
        level = self.level()
        inner = max(control, level)
        target = self.rng.choice([v for v, own in VARIABLES.items() if own >= inner])
        bound, code = self.bound(level)
        result, old, new = (self.name() for _ in range(3))
        k = self.name()
        return f"""{code}{result} = scf.for {k} = %c0 to {bound} step %c1 iter_args(
{old} = %three) -> (i32) {{
{self.body(inner, depth + 1)}{new} = arith.addi {old}, %three : i32
scf.yield {new} : i32
}}
vyre.assign {result}, %{target} : !vyre.cell<i32>
"""

    def test(self, control: Level, depth: int) -> str:
        """At most two trips, counted by a value; variables change in both regions."""
        level = self.level()
        inner = max(control, level)
        k, j, go, more, stop = (self.name() for _ in range(5))
        first = self.body(inner, depth + 1)
        name, code = self.condition(level)
        return f"""{self.name()} = scf.while ({k} = %c0) : (index) -> (index) {{
{first}{code}{stop} = arith.cmpi ult, {k}, %c2 : index
{go} = arith.andi {stop}, {name} : i1
scf.condition({go}) {k} : index
}} do {{
^bb{self.count}({j}: index):
{self.body(inner, depth + 1)}{more} = arith.addi {j}, %c1 : index
scf.yield {more} : index
}}
"""

    def endless(self, control: Level, depth: int) -> str:
        """A loop that is left only by returning, in one of the first trips."""
        k, j, more = (self.name() for _ in range(3))
        before, after = self.body(control, depth + 1), self.body(control, depth + 1)
        if self.rng.random() < 0.5:
            before += self.leave_in_trip(k)
        else:
            after = self.leave_in_trip(j) + after
        return f"""{self.name()} = scf.while ({k} = %c0) : (index) -> (index) {{
{before}scf.condition(%yes) {k} : index
}} do {{
^bb{self.count}({j}: index):
{after}{more} = arith.addi {j}, %c1 : index
scf.yield {more} : index
}}
"""

    def leave_in_trip(self, trip: str) -> str:
        last, stop = self.name(), self.name()
        who = self.rng.choice(("%c1", "%g", "%lane"))
        return f"""{last} = arith.remui {who}, %c3 : index
{stop} = arith.cmpi uge, {trip}, {last} : index
scf.if {stop} {{
vyre.return
}}
"""

    def region(self, control: Level, depth: int) -> str:
        return f'vyre.region "r" {{\n{self.body(control, depth + 1)}}}\n'

    def program(self) -> str:
        stores = ""
        for slot, variable in enumerate(("u", "p", "q")):
            value = self.name()
            stores += f"{value} = vyre.get %{variable} : !vyre.cell<i32>\n"
            stores += f"vyre.store {value}, %end[%x, %c{slot}] : memref<?x3xi32>\n"
        code = "".join(self.body(GRID, 0) for _ in range(3))
        size = self.rng.choice((4, 40))
        return f"""
vyre.program @p [{size}, 1, 1] {{
%out = vyre.buffer "out" read_write binding 0 : memref<?x4xi32>
%end = vyre.buffer "end" read_write binding 1 : memref<?x3xi32>
%mail = vyre.buffer "mail" read_write binding 2 : memref<?xi32>
%total = vyre.buffer "total" read_write binding 3 : memref<2xi32>
%numbers = vyre.buffer "numbers" read_only binding 4 : memref<?xi32>
%tile = vyre.buffer "tile" workgroup : memref<40xi32>
%stage = vyre.buffer "stage" workgroup : memref<40xi32>
%n = vyre.param "n" : i32
%c0 = arith.constant 0 : index
%c1 = arith.constant 1 : index
%c2 = arith.constant 2 : index
%c3 = arith.constant 3 : index
%three = arith.constant 3 : i32
%yes = arith.constant true
%x = vyre.invocation_id x
%l = vyre.local_id x
%g = vyre.workgroup_id x
%lane = vyre.subgroup_local_id
%neighbour = arith.xori %x, %c1 : index
%opposite = arith.xori %l, %c3 : index
%x32 = arith.index_cast %x : index to i32
%g32 = arith.index_cast %g : index to i32
%u = vyre.let "u" = %n : i32
%w = vyre.let "w" = %g32 : i32
%p = vyre.let "p" = %x32 : i32
%q = vyre.let "q" = %x32 : i32
{code}{stores}}}
"""
