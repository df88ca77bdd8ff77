"""
Writes the waves of `rules.mlir`: 300 rules over one table, a line for each. What is above
them in the file is written by hand.

    python examples/rules.py --write    write them
    python examples/rules.py            fail if they are out of date
"""

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

FIELDS, RECORDS = 8, 1024
FIELD_BYTES = 4 * RECORDS
BOUNDS = range(75, 1000, 75)


@dataclass(frozen=True)
class Rule:
    """A wave: its program, the rules it depends on, its bytes and its parameters."""

    kind: str
    after: tuple[int, ...]
    bytes: tuple[int, int, int]
    values: dict[str, str]


def independent_rules() -> Iterator[Rule]:
    """Rules about the table alone, field by field."""
    for field in range(FIELDS):
        own = {"field": f"{field} : index"}
        for bound in BOUNDS:
            sizes = (FIELD_BYTES, 0, 4)
            yield Rule("over", (), sizes, own | {"bound": f"{bound} : i32"})
        for other in (other for other in range(FIELDS) if other != field):
            sizes = (2 * FIELD_BYTES, 0, 4)
            values = own | {"other": f"{other} : index"}
            yield Rule("peak", (), sizes, values)
            if other > field:
                yield Rule("agree", (), sizes, values)
        for place in (0, 5):
            sizes = (2 * FIELD_BYTES, 128, 4)
            values = own | {"other": f"{(field + 1) % FIELDS} : index"}
            yield Rule("usual", (), sizes, values | {"place": f"{place} : i32"})


def rules() -> list[Rule]:
    """All rules; the place of a rule in the list is where its result goes."""
    found = list(independent_rules())
    peaks = [slot for slot, rule in enumerate(found) if rule.kind == "peak"]
    nears: list[list[int]] = []
    for field in range(FIELDS):
        # Seven peaks of the field itself, and three of the next one.
        first = 7 * field
        chosen = [peaks[(first + k) % len(peaks)] for k in range(10)]
        nears.append([len(found) + k for k in range(10)])
        for peak in chosen:
            values = {"field": f"{field} : index", "peak": f"{peak} : index"}
            found.append(Rule("near", (peak,), (FIELD_BYTES + 4, 0, 4), values))
    for own in nears:
        for one, other in ((own[0], own[1]), (own[2], own[9])):
            values = {"one": f"{one} : index", "other": f"{other} : index"}
            found.append(Rule("verdict", (one, other), (8, 0, 4), values))
    return found


def megakernel() -> str:
    """The waves, a line for each."""
    found = rules()
    names = [f'"{rule.kind}{slot}"' for slot, rule in enumerate(found)]
    lines: list[str] = []
    for slot, rule in enumerate(found):
        before = ", ".join(names[earlier] for earlier in rule.after)
        values = rule.values | {"slot": f"{slot} : index"}
        given = ", ".join(f"{name} = {value}" for name, value in values.items())
        lines.append(
            f"  vyre.wave {names[slot]} @{rule.kind} grid [1, 1, 1] after [{before}]"
            f" bytes {list(rule.bytes)} with {{{given}}}"
        )
    return "\n".join(["vyre.megakernel @rules {", *lines, "}", ""])


def main() -> None:
    path = Path(__file__).with_suffix(".mlir")
    before = path.read_text()
    by_hand = before[: before.index("vyre.megakernel")]
    text = by_hand + megakernel()
    if sys.argv[1:] == ["--write"]:
        path.write_text(text)
    elif before != text:
        sys.exit(f"{path.name} is out of date. Fix: run `python examples/rules.py --write`")


if __name__ == "__main__":
    main()
