"""Parameters of all types with few values each, and code that uses them in all ways."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nan
from random import Random

import numpy as np

DTYPES = {
    "i1": "bool",
    "i8": "int8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "index": "int64",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
}
INTEGERS = {"i8": 8, "i16": 16, "i32": 32, "i64": 64, "index": 64}
FLOATS = {"f16": 16, "f32": 32, "f64": 64}

BOUNDS = (-3, 0, 1, 4, 7)
STEPS = (-1, 0, 1, 2, 3, 2**63 - 1)

ON_INTEGERS = {
    "term": "addi subi xori",
    "factor": "muli",
    "divisor": "divsi divui remsi remui floordivsi ceildivsi ceildivui",
    "shift": "shli shrui shrsi",
    "mask": "andi ori minsi maxui",
}
ON_FLOATS = {
    "term": "addf subf",
    "factor": "mulf",
    "divisor": "divf",
    "limit": "minimumf maximumf minnumf maxnumf",
}
COMPARE_INTEGERS = "eq ne slt sge ult ugt".split()
COMPARE_FLOATS = "oeq olt oge une uno ult".split()

LOOP = """\
  {sum} = scf.for %k = {low} to {high} step {step} iter_args(%so_far = {value}) -> (i64) {{
    %each = vyre.load %x[%k] : memref<64xi64>
    %next = arith.subi %each, %so_far : i64
    scf.yield %next : i64
  }}
"""


@dataclass(frozen=True)
class Param:
    """A parameter, how it is used, and the values that waves give to it."""

    register: str
    name: str
    type: str
    roles: Sequence[str]
    pool: Sequence[float]

    @property
    def text(self) -> str:
        return f'  {self.register} = vyre.param "{self.name}" : {self.type}\n'

    @property
    def dtype(self) -> str:
        return DTYPES[self.type]

    def literal(self, value: float) -> str:
        """A value as it is written, floats by their bits."""
        if self.type == "i1":
            return "true" if value else "false"
        if self.type in FLOATS:
            bits = FLOATS[self.type]
            pattern = int(np.array(value, self.dtype).view(f"u{bits // 8}"))
            return f"0x{pattern:0{bits // 4}X} : {self.type}"
        return f"{value} : {self.type}"


def random_param(rng: Random, number: int) -> Param:
    """
    A parameter that is used in one or two ways.

    Example: `random_param(Random(7), 0).text`
    """
    type = rng.choice(list(DTYPES))
    roles = ["comparison"]
    if type in FLOATS:
        roles += ON_FLOATS
    elif type != "i1":
        roles += [*ON_INTEGERS, "term", "place"]
    if type == "index":
        roles += ["bound", "step"]
    chosen = rng.sample(roles, min(len(roles), rng.choice((1, 1, 2))))
    values = _values(type, chosen)
    pool = rng.sample(values, min(len(values), rng.choice((1, 2, 2, 3))))
    name = rng.choice(("p{}", "a0.p{}", "begin{}")).format(number or "")
    return Param(f"%p{number}", name, type, chosen, pool)


def _values(type: str, roles: Sequence[str]) -> Sequence[float]:
    """Values for a parameter, extremes among them if loops are not too long with them."""
    if type == "i1":
        return (False, True)
    if "bound" in roles:
        return BOUNDS
    if "step" in roles:
        return STEPS
    if type in FLOATS:
        limits = np.finfo(DTYPES[type])
        special = (nan, inf, -inf, -0.0, float(limits.smallest_subnormal))
        return (0.0, 1.0, -1.5, 0.1, float(limits.max), *special)
    half = 2 ** (INTEGERS[type] - 1)
    return (0, 1, 2, 3, 5, 7, -1, half - 1, -half)


class Body:
    """Operations of a program, one after the other, on numbers of 64 bits."""

    def __init__(self, rng: Random):
        self.rng = rng
        self.text = ""
        self._count = 0

    def name(self) -> str:
        self._count += 1
        return f"%v{self._count}"

    def define(self, operation: str) -> str:
        """The register with the result of an operation."""
        name = self.name()
        self.text += f"  {name} = {operation}\n"
        return name

    def mixed(self, value: str, other: str) -> str:
        """A number that depends on two others."""
        seven = self.define("arith.constant 7 : i64")
        scaled = self.define(f"arith.muli {value}, {seven} : i64")
        return self.define(f"arith.addi {scaled}, {other} : i64")

    def converted(self, value: str, type: str) -> str:
        """A number as one of another type."""
        if type == "i64":
            return value
        if type == "index":
            return self.define(f"arith.index_cast {value} : i64 to index")
        if type in FLOATS:
            small = self.define(f"arith.trunci {value} : i64 to i8")
            return self.define(f"arith.sitofp {small} : i8 to {type}")
        return self.define(f"arith.trunci {value} : i64 to {type}")

    def widened(self, value: str, type: str) -> str:
        """A number of any type as one of 64 bits; NaNs are all the same."""
        if type == "i64":
            return value
        if type == "index":
            return self.define(f"arith.index_cast {value} : index to i64")
        if type not in FLOATS:
            return self.define(f"arith.extui {value} : {type} to i64")
        is_nan = self.define(f"arith.cmpf uno, {value}, {value} : {type}")
        instead = self.define(f"arith.constant 3.0 : {type}")
        number = self.define(f"arith.select {is_nan}, {instead}, {value} : {type}")
        bits = self.define(f"arith.bitcast {number} : {type} to i{FLOATS[type]}")
        return self.widened(bits, f"i{FLOATS[type]}")


def used(body: Body, param: Param, value: str) -> str:
    """Use a parameter in all its ways; the register of a number that depends on it."""
    for role in param.roles:
        match role:
            case "comparison":
                found = body.widened(compared(body, param, value), "i1")
            case "place":
                found = _loaded(body, param)
            case "bound" | "step":
                found = _looped(body, param, value, role)
            case _:
                found = _combined(body, param, value, role)
        value = body.mixed(value, found)
    return value


def compared(body: Body, param: Param, value: str) -> str:
    """How a number compares to a parameter."""
    is_float = param.type in FLOATS
    predicate = body.rng.choice(COMPARE_FLOATS if is_float else COMPARE_INTEGERS)
    operands = _operands(body, param, value)
    operation = "cmpf" if is_float else "cmpi"
    return body.define(f"arith.{operation} {predicate}, {operands} : {param.type}")


def _loaded(body: Body, param: Param) -> str:
    place = param.register
    if param.type != "index":
        place = body.define(f"arith.index_cast {place} : {param.type} to index")
    return body.define(f"vyre.load %x[{place}] : memref<64xi64>")


def _looped(body: Body, param: Param, value: str, role: str) -> str:
    zero = body.define("arith.constant 0 : index")
    six = body.define("arith.constant 6 : index")
    two = body.define("arith.constant 2 : index")
    bounds = {"low": zero, "high": six, "step": two}
    place = "step" if role == "step" else body.rng.choice(("low", "high"))
    bounds[place] = param.register
    total = body.name()
    body.text += LOOP.format(sum=total, value=value, **bounds)
    return total


def _combined(body: Body, param: Param, value: str, role: str) -> str:
    operations = (ON_FLOATS if param.type in FLOATS else ON_INTEGERS)[role].split()
    operands = _operands(body, param, value, role)
    operation = f"arith.{body.rng.choice(operations)} {operands} : {param.type}"
    return body.widened(body.define(operation), param.type)


def _operands(body: Body, param: Param, value: str, role: str = "") -> str:
    """A number and a parameter; the other way round now and then, if both are alike."""
    pair = [body.converted(value, param.type), param.register]
    if role not in ("divisor", "shift") and body.rng.random() < 0.3:
        pair.reverse()
    return ", ".join(pair)
