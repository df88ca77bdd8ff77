"""Random programs that index buffers in many ways, often rightly and often not."""

from collections.abc import Generator
from contextlib import contextmanager
from random import Random
from typing import Any

import numpy as np

LANES = 96
"""Invocations that have numbers of their own."""

BUFFERS = {
    "a": "memref<?xi32>",
    "b": "memref<?xi32>",
    "one": "memref<1xi32>",
    "five": "memref<5xi32>",
    "sixteen": "memref<16xi32>",
    "rows": "memref<?x4xi32>",
    "plane": "memref<?x?xi32>",
}
EDGES = {
    "index": [0, 1, 2, 3, 4, 5, 7, 8, 15, 16, -1, -2, 2**31, 2**62, 2**63 - 1, -(2**63)],
    "i32": [0, 1, 2, 3, 4, 5, 8, 16, 31, -1, -3, 2**31 - 1, -(2**31)],
    "i8": [0, 1, 2, 3, 5, 7, 16, -1, -4, 127, -128],
}
OPERATIONS = (
    *("addi", "subi", "addi", "subi", "muli", "minsi", "maxsi", "minui", "maxui"),
    *("divui", "divsi", "ceildivui", "ceildivsi", "floordivsi", "remui", "remsi"),
    *("andi", "ori", "xori", "shli", "shrui", "shrsi"),
)
PREDICATES = ("eq", "ne", "slt", "sle", "sgt", "sge", "ult", "ule", "ugt", "uge")
IDS = (
    *("invocation_id x", "invocation_id y", "workgroup_id x", "local_id x", "local_id y"),
    *("workgroup_count x", "workgroup_size x", "linear_id invocation"),
    *("linear_id workgroup", "linear_id local", "subgroup_local_id", "subgroup_size"),
)


class Writer:
    """Writes one program. Loops make few trips, whatever they compute."""

    def __init__(self, seed: int):
        self.rng = Random(seed)
        self.count = 0
        self.lines: list[str] = []
        self.constants: set[str] = set()
        self.values: dict[str, list[str]] = {
            "index": ["%p"],
            "i32": ["%q"],
            "i8": [],
            "i1": [],
        }

    def add(self, type: str, text: str) -> str:
        """An operation with one result, which can be used from now on."""
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(f"{name} = {text}")
        self.values[type].append(name)
        if text.startswith("arith.constant"):
            self.constants.add(name)
        return name

    def pick(self, type: str) -> str:
        """A value, more likely one of the newest."""
        if not self.values[type] or self.rng.random() < 0.15:
            return self.constant(type)
        if self.rng.random() < 0.5:
            return self.rng.choice(self.values[type][-4:])
        return self.rng.choice(self.values[type])

    def constant(self, type: str) -> str:
        if type == "i1":
            return self.add(type, f"arith.constant {self.rng.choice(('true', 'false'))}")
        number = self.rng.choice(EDGES[type])
        return self.add(type, f"arith.constant {number} : {type}")

    @contextmanager
    def nested(self) -> Generator[None]:
        """What is defined inside is not visible after."""
        outer = {type: list(names) for type, names in self.values.items()}
        yield
        self.values = outer

    def compute(self) -> str:
        type = self.rng.choice(("index", "index", "index", "i32", "i8"))
        op = self.rng.choice(OPERATIONS)
        return self.add(type, f"arith.{op} {self.pick(type)}, {self.pick(type)} : {type}")

    def move(self) -> str:
        """A sum with a small constant."""
        value, step = self.pick("index"), self.rng.choice((1, 1, 2, 3, -1, -2))
        constant = self.add("index", f"arith.constant {step} : index")
        op = self.rng.choice(("addi", "subi"))
        return self.add("index", f"arith.{op} {value}, {constant} : index")

    def cast(self) -> str:
        kinds = {
            ("index", "i32"): "index_cast",
            ("i32", "index"): "index_cast",
            ("i8", "index"): "index_cast",
            ("i1", "index"): "index_cast",
            ("i1", "i8"): "extui",
            ("i8", "i32"): self.rng.choice(("extui", "extsi")),
            ("i32", "i8"): "trunci",
        }
        taken, given = self.rng.choice(list(kinds))
        op = kinds[taken, given]
        return self.add(given, f"arith.{op} {self.pick(taken)} : {taken} to {given}")

    def known(self) -> str:
        """An id, a length, or something that the caller passed."""
        kind = self.rng.random()
        if kind < 0.4:
            return self.add("index", f"vyre.{self.rng.choice(IDS)}")
        if kind < 0.8:
            name, type = self.rng.choice(list(BUFFERS.items()))
            dim = self.rng.randrange(rank(type))
            return self.add("index", f"vyre.length %{name}, {dim} : {type}")
        return self.given(self.rng.choice(("index", "i32", "i8")))

    def given(self, type: str) -> str:
        """A number that is another one in every invocation."""
        column = self.rng.choice(("%none", "%first"))
        return self.add(type, f"vyre.load %{type}s[%x, {column}] : memref<?x2x{type}>")

    def condition(self) -> str:
        kind = self.rng.random()
        if kind < 0.6 or not self.values["i1"]:
            type = self.rng.choice(("index", "index", "i32", "i8"))
            predicate = self.rng.choice(PREDICATES)
            text = f"arith.cmpi {predicate}, {self.pick(type)}, {self.pick(type)} : {type}"
            return self.add("i1", text)
        if kind < 0.9:
            op = self.rng.choice(("andi", "andi", "ori", "xori"))
            return self.add("i1", f"arith.{op} {self.pick('i1')}, {self.pick('i1')} : i1")
        return self.select("i1")

    def select(self, type: str) -> str:
        chosen = f"{self.pick('i1')}, {self.pick(type)}, {self.pick(type)}"
        return self.add(type, f"arith.select {chosen} : {type}")

    def access(self, first: str | None = None) -> None:
        name, type = self.rng.choice(list(BUFFERS.items()))
        indices = [self.pick("index") for _ in range(rank(type))]
        if first is not None:
            indices[0] = first
        indices = [self.not_literal(index) for index in indices]
        at = f"%{name}[{', '.join(indices)}]"
        kind = self.rng.random()
        if kind < 0.6:
            self.add("i32", f"vyre.load {at} : {type}")
        elif kind < 0.9:
            self.lines.append(f"vyre.store %word, {at} : {type}")
        else:
            self.add("i32", f"vyre.atomic add %word, {at} : {type}")

    def not_literal(self, index: str) -> str:
        """A literal index outside a buffer would be refused."""
        if index in self.constants:
            return self.add("index", f"arith.addi {index}, %none : index")
        return index

    def guarded(self, depth: int) -> None:
        """An index that is compared with a bound, and used where that holds."""
        index, bound = self.pick("index"), self.rng.choice((self.pick("index"), None))
        name, type = self.rng.choice(list(BUFFERS.items()))
        if bound is None:
            bound = self.add("index", f"vyre.length %{name}, 0 : {type}")
        predicate = self.rng.choice(("ult", "slt", "ule", "ugt", "sge", "uge", "ne"))
        test = self.add("i1", f"arith.cmpi {predicate}, {index}, {bound} : index")
        self.branch(test, depth, index)

    def idiom(self) -> None:
        """Ways to compute an index that people use, and some that are nearly right."""
        i, n, m = self.pick("index"), self.length("a"), self.length("b")
        few = self.add("index", f"arith.constant {self.rng.choice((0, 1, 1, 2))} : index")
        two = self.add("index", f"arith.constant {self.rng.choice((1, 2, 2, 3))} : index")
        last = self.index("subi", n, few)
        bounds = {
            "pairs": self.index("shrui", n, few),
            "groups": self.index("divui", n, two),
            "rows": self.index("muli", n, m),
        }
        kind = self.rng.choice((*bounds, "around", "clamped", "reversed", "neighbours"))
        bound = bounds.get(kind, n)
        tested = few if kind in ("around", "clamped") else i

        def indices() -> list[str]:
            match kind:
                case "pairs":
                    twice = self.index("shli", i, few)
                    upper = self.index("addi", twice, few)
                    return [self.index("addi", i, bound), twice, upper]
                case "groups":
                    first = self.index("muli", i, two)
                    return [first, self.index("addi", first, few)]
                case "rows":
                    op = self.rng.choice(("divui", "divsi"))
                    return [self.index(op, i, m), self.index("remui", i, n)]
                case "around":
                    return [self.index("remui", i, n), self.index("remsi", i, n)]
                case "clamped":
                    low = self.index(self.rng.choice(("maxsi", "maxui")), i, few)
                    return [self.index(self.rng.choice(("minsi", "minui")), low, last)]
                case "reversed":
                    return [self.index("subi", last, i)]
                case _:
                    return [self.index("subi", i, few), self.index("addi", i, two)]

        early = indices() if self.rng.random() < 0.2 else None
        predicate = self.rng.choice(("ult", "ult", "slt", "ule", "sle"))
        test = self.add("i1", f"arith.cmpi {predicate}, {tested}, {bound} : index")
        if self.rng.random() < 0.5:
            other = self.add("i1", f"arith.cmpi sge, {i}, %none : index")
            test = self.add("i1", f"arith.andi {test}, {other} : i1")
        self.lines.append(f"scf.if {test} {{")
        with self.nested():
            for index in early or indices():
                self.add("i32", f"vyre.load %a[{index}] : memref<?xi32>")
        self.lines.append("}")

    def length(self, name: str) -> str:
        return self.add("index", f"vyre.length %{name}, 0 : {BUFFERS[name]}")

    def index(self, op: str, left: str, right: str) -> str:
        return self.add("index", f"arith.{op} {left}, {right} : index")

    def branch(self, test: str, depth: int, index: str | None = None) -> None:
        """An `scf.if` with a number as result; either arm may end the invocation."""
        type = self.rng.choice(("index", "index", "i1"))
        arms: list[list[str]] = []
        outer = self.lines
        for _ in range(2):
            self.lines = []
            with self.nested():
                if index is not None:
                    self.access(index)
                self.body(depth + 1)
                result = self.pick(type)
            if self.rng.random() < 0.1:
                self.lines.append("vyre.return")
            arms.append([*self.lines, f"scf.yield {result} : {type}"])
        self.lines = outer
        first, second = ("\n".join(arm) for arm in arms)
        self.add(type, f"scf.if {test} -> ({type}) {{\n{first}\n}} else {{\n{second}\n}}")

    def for_loop(self, depth: int) -> None:
        """From a small number, so that it ends soon; it carries a number and a flag."""
        eight = self.add("index", "arith.constant 8 : index")
        start = self.add("index", f"arith.remsi {self.pick('index')}, {eight} : index")
        end = self.add("index", f"arith.minsi {self.pick('index')}, {eight} : index")
        self.count += 1
        k, n, flag = f"%k{self.count}", f"%n{self.count}", f"%f{self.count}"
        initial, raised, step = self.pick("index"), self.pick("i1"), self.pick("index")
        outer, self.lines = self.lines, []
        with self.nested():
            self.values["index"] += [k, n]
            self.values["i1"].append(flag)
            self.access(self.rng.choice((k, n)))
            self.body(depth + 1)
            again = self.pick("index")
            other = self.pick("i1")
            op = self.rng.choice(("andi", "ori"))
            kept = self.add("i1", f"arith.{op} {flag}, {other} : i1")
            self.lines.append(f"scf.yield {again}, {kept} : index, i1")
        inside = "\n".join(self.lines)
        self.lines = outer
        self.count += 1
        name = f"%v{self.count}"
        self.lines.append(
            f"{name}:2 = scf.for {k} = {start} to {end} step {step} "
            f"iter_args({n} = {initial}, {flag} = {raised}) -> (index, i1) "
            f"{{\n{inside}\n}}"
        )
        self.values["index"].append(f"{name}#0")
        self.values["i1"].append(f"{name}#1")

    def while_loop(self, depth: int) -> None:
        """At most four trips, counted by a value; another one is carried beside it."""
        self.count += 1
        k, n, m = (f"%{letter}{self.count}" for letter in "knm")
        four = self.add("index", "arith.constant 4 : index")
        zero = self.add("index", "arith.constant 0 : index")
        one = self.add("index", "arith.constant 1 : index")
        initial = self.pick("index")
        outer, self.lines = self.lines, []
        with self.nested():
            self.values["index"] += [k, n]
            for _ in range(self.rng.randint(0, 2)):
                self.statement(3)
            few = self.add("i1", f"arith.cmpi ult, {k}, {four} : index")
            self.values["index"] += [n, n, n]
            test = self.condition()
            go = self.add("i1", f"arith.andi {few}, {test} : i1")
            passed = self.rng.choice((n, n, self.pick("index")))
            self.lines.append(f"scf.condition({go}) {k}, {passed} : index, index")
            before = "\n".join(self.lines)
        self.lines = []
        with self.nested():
            self.values["index"] += [f"{k}a", m, m]
            self.access(self.rng.choice((f"{k}a", m)))
            self.body(depth + 1)
            more = self.add("index", f"arith.addi {k}a, {one} : index")
            self.values["index"] += [m, m]
            op = self.rng.choice(OPERATIONS)
            mixed = self.index(op, self.pick("index"), self.pick("index"))
            again = self.rng.choice((self.move(), mixed))
            self.lines.append(f"scf.yield {more}, {again} : index, index")
            after = "\n".join(self.lines)
        self.lines = outer
        name = f"%v{self.count}w"
        self.lines.append(
            f"{name}:2 = scf.while ({k} = {zero}, {n} = {initial}) "
            f": (index, index) -> (index, index) {{\n{before}\n}} do {{\n"
            f"^trip{self.count}({k}a: index, {m}: index):\n{after}\n}}"
        )
        self.values["index"] += [f"{name}#0", f"{name}#1"]

    def statement(self, depth: int) -> None:
        kinds = ["compute"] * 5 + ["move", "cast", "known", "known", "condition", "select"]
        kinds += ["access"] * 3 + ["idiom"] * 3
        if depth < 3:
            kinds += ["guarded"] * 3 + ["if", "for", "while", "region"]
            kinds += ["return"] * (self.rng.random() < 0.3)
        kind = self.rng.choice(kinds)
        match kind:
            case "guarded":
                self.guarded(depth)
            case "if":
                self.branch(self.condition(), depth)
            case "for":
                self.for_loop(depth)
            case "while":
                self.while_loop(depth)
            case "region":
                self.lines.append('vyre.region "r" {')
                with self.nested():
                    self.body(depth + 1)
                self.lines.append("}")
            case "return":
                self.lines.append(f"scf.if {self.condition()} {{\nvyre.return\n}}")
            case "select":
                self.select(self.rng.choice(("index", "i32")))
            case _:
                getattr(self, kind)()

    def body(self, depth: int) -> None:
        for _ in range(self.rng.randint(1, 5)):
            self.statement(depth)

    def write_anything(self) -> None:
        for _ in range(6):
            self.known()
        for _ in range(6):
            self.body(0)

    def write_chain(self) -> None:
        """Short computations between guards, and accesses by everything they give."""
        fresh = [self.given(type) for type in ("index", "index", "i32", "i8")]
        self.length("a")
        guards = 0
        for value, type in zip(fresh, ("index", "index", "i32", "i8")):
            # Limits from both sides, so that something is known about most numbers.
            if self.rng.random() < 0.7:
                limit = self.rng.choice((3, 5, 8, 16))
                bound = self.add(type, f"arith.constant {limit} : {type}")
                predicate = self.rng.choice(("ult", "ule", "ult", "slt", "sgt", "uge"))
                self.guard(f"arith.cmpi {predicate}, {value}, {bound} : {type}")
                guards += 1
        for _ in range(self.rng.randint(0, 2)):
            for _ in range(self.rng.randint(1, 2)):
                self.rng.choice((self.compute, self.compute, self.move, self.cast))()
            type = self.rng.choice(("index", "index", "index", "i32", "i8"))
            predicate = self.rng.choice(PREDICATES)
            left, right = self.pick(type), self.pick(type)
            self.guard(f"arith.cmpi {predicate}, {left}, {right} : {type}")
            guards += 1
        for _ in range(self.rng.randint(1, 3)):
            self.rng.choice((self.compute, self.move, self.cast))()
        for index in map(self.not_literal, self.values["index"][-6:]):
            for name in ("a", "one", "five", "sixteen"):
                self.lines.append(f"vyre.store %word, %{name}[{index}] : {BUFFERS[name]}")
        self.lines += ["}"] * guards

    def guard(self, test: str) -> None:
        self.lines.append(f"scf.if {self.add('i1', test)} {{")

    def chains(self) -> str:
        """A program without loops that soon gets to its accesses."""
        for _ in range(5):
            with self.nested():
                self.write_chain()
        return self.program()

    def anything(self) -> str:
        """A program with all kinds of control flow."""
        self.write_anything()
        return self.program()

    def program(self) -> str:
        declarations = "\n".join(
            f'%{name} = vyre.buffer "{name}" read_write binding {at} : {type}'
            for at, (name, type) in enumerate(BUFFERS.items())
        )
        size = self.rng.choice(("[16, 1, 1]", "[4, 3, 1]", "[8, 1, 2]"))
        body = "\n".join(self.lines)
        return f"""
vyre.program @p {size} {{
{declarations}
%indexs = vyre.buffer "indexs" read_only binding 20 : memref<?x2xindex>
%i32s = vyre.buffer "i32s" read_only binding 21 : memref<?x2xi32>
%i8s = vyre.buffer "i8s" read_only binding 22 : memref<?x2xi8>
%p = vyre.param "p" : index
%q = vyre.param "q" : i32
%x = vyre.linear_id invocation
%word = arith.constant 1 : i32
%none = arith.constant 0 : index
%first = arith.constant 1 : index
{body}
}}
"""


def rank(type: str) -> int:
    return type.count("x")


def arguments(rng: Random) -> dict[str, Any]:
    """Arrays of small sizes, also of none, and awkward numbers."""
    small = [rng.choice((0, 1, 2, 3, 4, 5, 8, 9)) for _ in range(5)]
    dtypes: dict[str, Any] = {"index": np.int64, "i32": np.int32, "i8": np.int8}
    given = {
        f"{type}s": np.array(
            [
                [rng.choice((rng.choice(EDGES[type]), rng.randrange(10))) for _ in range(2)]
                for _ in range(LANES)
            ],
            dtypes[type],
        )
        for type in dtypes
    }
    return {
        "a": np.array([rng.choice(EDGES["i32"]) for _ in range(small[0])], np.int32),
        "b": np.zeros(small[1], np.int32),
        "one": np.zeros(1, np.int32),
        "five": np.zeros(5, np.int32),
        "sixteen": np.zeros(16, np.int32),
        "rows": np.zeros((small[2], 4), np.int32),
        "plane": np.zeros((small[3], small[4]), np.int32),
        "p": rng.choice(EDGES["index"]),
        "q": rng.choice(EDGES["i32"]),
        **given,
    }
