"""
Writes `docs/dialect.md` from the definitions in `dialects/vyre/`.

    python docs/dialect_page.py --write    write the page
    python docs/dialect_page.py            fail if the page is out of date
"""

import argparse
import importlib
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from xdsl.dialects.builtin import SymbolNameConstraint
from xdsl.dialects.utils import EnumAttribute
from xdsl.ir import Attribute, Operation, TypeAttribute
from xdsl.irdl import (
    AnyAttr,
    AttrConstraint,
    AttrSetConstraint,
    BaseAttr,
    EqAttrConstraint,
    IRDLOperation,
    MessageConstraint,
    OptPropertyDef,
    ParamAttrConstraint,
    PropertyDef,
    RangeConstraint,
    RangeLengthConstraint,
    RangeOf,
    VarConstraint,
)
from xdsl.traits import Pure, RecursiveMemoryEffect

from vyre.dialects.vyre import Vyre
from vyre.dialects.vyre.effects import (
    AsksInvocations,
    ChangesInvocations,
    DeclaresInterface,
    EffectfulOp,
    OrdersMemory,
)

PAGE = Path(__file__).with_name("dialect.md")

HEAD = """\
<!-- Written by docs/dialect_page.py from dialects/vyre/. Run `make docs` to renew it. -->

# The `vyre` dialect

A program says what each invocation of a grid does. Scalars are `arith` and `math`, control
flow is `scf`; this dialect has what is special: programs, buffers, barriers, ids and
launches. [The rules](rules.md) are on their own page.
"""

EFFECTS = {
    Pure: "none",
    RecursiveMemoryEffect: "those of the operations inside",
    DeclaresInterface: "declares part of the interface; never removed or merged",
    OrdersMemory: "orders memory; no access moves across it",
    ChangesInvocations: "ends the invocation",
    AsksInvocations: "depends on which invocations still run",
}


def page() -> str:
    """The whole page."""
    return "\n".join((HEAD, *_contents(), *_operations(), *_attributes()))


def _operations() -> Iterator[str]:
    module = None
    for op in Vyre.operations:
        if op.__module__ != module:
            module = op.__module__
            yield f"## {_title(module)}\n"
            yield f"{inspect.getdoc(importlib.import_module(module))}\n"
        yield from _operation(op)


def _contents() -> Iterator[str]:
    """One line for each module, with links to its operations."""
    modules = dict.fromkeys(op.__module__ for op in Vyre.operations)
    for module in modules:
        names = [op.name for op in Vyre.operations if op.__module__ == module]
        links = ", ".join(f"[`{name}`](#{name.replace('.', '')})" for name in names)
        yield f"- {_title(module)}: {links}"
    yield ""


def _title(module: str) -> str:
    return module.rpartition(".")[2].capitalize()


def _operation(op: type[Operation]) -> Iterator[str]:
    assert issubclass(op, IRDLOperation)
    definition = op.get_irdl_definition()
    yield f"### `{op.name}`\n"
    yield f"{inspect.getdoc(op)}\n"
    rows = [
        *(("operand", name, _range(part.constr)) for name, part in definition.operands),
        *(
            ("property", name, _constraint(part.constr) + _optional(part))
            for name, part in definition.properties.items()
            if name != "operandSegmentSizes"
        ),
        *(("result", name, _range(part.constr)) for name, part in definition.results),
    ]
    if rows:
        yield "| | name | type |\n|---|---|---|"
        yield from (f"| {kind} | `{name}` | {type} |" for kind, name, type in rows)
        yield ""
    yield f"Effects: {'; '.join(_effects(op)) or 'unknown'}.\n"


def _optional(definition: PropertyDef) -> str:
    if definition.default_value is not None:
        return f", default `{definition.default_value}`"
    return ", optional" if isinstance(definition, OptPropertyDef) else ""


def _effects(op: type[Operation]) -> Iterator[str]:
    if issubclass(op, EffectfulOp):
        source = inspect.getsource(op.effects)
        for verb, name in re.findall(r"(reads|writes)\(self\.(\w+)\)", source):
            yield f"{verb} `{name}`"
        if "ALLOC" in source:
            yield "makes a variable"
        if "for effect in (reads, writes)" in source:
            yield "reads and writes the buffers among its arguments"
    for trait, text in EFFECTS.items():
        if op.has_trait(trait):
            yield text


def _range(constraint: RangeConstraint) -> str:
    """The type of an operand or result; variadic ones get dots."""
    match constraint:
        case RangeLengthConstraint():
            return _range(constraint.constraint).removesuffix(" ...")
        case RangeOf():
            return f"{_constraint(constraint.constr)} ..."
        case _:
            return "any"


def _constraint(constraint: AttrConstraint) -> str:
    match constraint:
        case AnyAttr():
            return "any type"
        case VarConstraint():
            inner = _constraint(constraint.constraint)
            return f"{constraint.name}" + ("" if inner == "any type" else f": {inner}")
        case MessageConstraint():
            return _constraint(constraint.constr)
        case SymbolNameConstraint():
            return "symbol name"
        case EqAttrConstraint():
            return f"`{constraint.attr}`"
        case AttrSetConstraint():
            return " or ".join(sorted(f"`{value}`" for value in constraint.values))
        case BaseAttr():
            return f"`{_syntax(constraint.attr)}`"
        case ParamAttrConstraint():
            inner = [_constraint(part) for part in constraint.param_constrs]
            known = [part for part in inner if part != "any type"]
            base = f"`{_syntax(constraint.base_attr)}`"
            return base + (f" of {', '.join(known)}" if known else "")
        case _:
            return "any"


def _syntax(attribute: type[Attribute]) -> str:
    prefix = "!" if issubclass(attribute, TypeAttribute) else "#"
    return prefix + attribute.name if "." in attribute.name else attribute.name


def _attributes() -> Iterator[str]:
    yield "## Types and attributes\n"
    for attribute in Vyre.attributes:
        yield f"### `{_syntax(attribute)}`\n"
        yield f"{inspect.getdoc(attribute)}\n"
        if issubclass(attribute, EnumAttribute):
            cases = ", ".join(f"`{case.value}`" for case in attribute.enum_type)
            yield f"Cases: {cases}.\n"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    if parser.parse_args().write:
        PAGE.write_text(page())
    elif PAGE.read_text() != page():
        sys.exit(f"{PAGE.name} is out of date. Fix: run `make docs` and commit the page")


if __name__ == "__main__":
    main()
