"""Texts that are nearly programs: the seeds, and what is done to them."""

import re
from collections.abc import Callable, Sequence
from functools import cache
from io import StringIO
from pathlib import Path
from random import Random

from xdsl.printer import Printer

import vyre
from vyre.dialects.vyre import Vyre

ROOT = Path(__file__).parents[2]
PROGRAMS = Path(__file__).with_name("seeds.mlir").read_text().split("// -----\n")
"""Valid programs that together hold every operation of the dialect."""


def written() -> list[str]:
    """The valid texts, as they are written."""
    examples = [path.read_text() for path in sorted(ROOT.glob("examples/*.mlir"))]
    return examples + PROGRAMS


@cache
def programs() -> tuple[str, ...]:
    """The same, and in generic form."""
    return (*written(), *map(_generic, written()))


def _generic(text: str) -> str:
    stream = StringIO()
    Printer(stream, print_generic_format=True).print_op(vyre.parse(text))
    return stream.getvalue()


@cache
def fragments() -> tuple[str, ...]:
    """The examples of the documentation: few are whole programs, but each is idiomatic."""
    documented = "\n".join(op.__doc__ or "" for op in Vyre.operations)
    blocks: list[str] = re.findall(r"```mlir\n(.*?)```", documented, re.DOTALL)
    return tuple(f"vyre.program @doc [64, 1, 1] {{\n{block}}}\n" for block in blocks)


@cache
def vocabulary() -> dict[str, list[str]]:
    """All tokens of the texts by their class, for replacing a token by one like it."""
    words = sorted({word for x in programs() + fragments() for word in tokens(x)})
    return {kind: [w for w in words if re.match(kind, w)] for kind in WORD_KINDS}


TOKEN = re.compile(
    r'"(?:[^"\\\n]|\\.)*"|[%#!@^]?[A-Za-z_][\w$.-]*|[%#]\d+|-?\d+(?:\.\d*(?:e[+-]?\d+)?)?'
    r"|->|//[^\n]*|\s+|.",
    re.DOTALL,
)
WORD_KINDS = ("%", "@", r"\^", r"-?\d", '"', r"\w+\.", "!|memref|[if]\\d", r"\w", r"\W")
EXTREMES = f"0|-1|1|{2**31}|{2**63}|{-(2**63)}|{2**64}|{10**30}|{'7' * 5000}|0x7F|1.0e999|-"
BYTES = "\0|\x1b[31m|\r|\x0b|\x7f|\u2028|\ufeff|é|☃|\U0001d519|\u202e|\udcff|\udced\udca0"
QUOTES = """|""|"\\|"\\zz|'|"%|"\\80|"\\00|"\0|" "|"\\22"""
TYPES = """memref<99999999999999999999xi32>|memref<0xi32>|tensor<1000000000xi32>|none
memref<4294967296x4294967296x4294967296xf64>|memref<*xi32>|memref<-1xi32>|memref<i32>
vector<1000000000xi1>|memref<?xi99999999>|i99999999999999|memref<?xi32, strided<[1]>>
memref<?xi32, affine_map<(d0) -> (d0)>>|memref<?xi32, 1>|si32|bf16|f8E4M3|!vyre.token"""
ATTRIBUTES = """dense<7> : tensor<1000000000xi32>|dense<"0x00"> : tensor<1000000000xi32>
dense<[]> : tensor<0xi32>|dense<1.5> : tensor<99999999999999999999xf32>|array<i64: 1, 2>
1.0e400 : f16|-1 : i1|affine_map<(d0) -> (d9)>|sparse<0, 1> : tensor<1000000000xi32>|"é"
dense<[[1], [2, 3]]> : tensor<2x2xi32>|300 : i8|0x7FF0000000000001 : f64|#vyre<axis w>"""
CHOICES = """x|y|z
i1|i8|i16|i32|i64|index|f16|f32|f64
add|and|or|xor|min|max|umin|umax|exchange|mul
read_only|read_write|write_only|uniform|workgroup
relaxed|acquire|release|acq_rel|seq_cst|grid_sync
single|per_workgroup|per_invocation
addi|subi|muli|andi|ori|xori|shli|divsi|divui|remsi|floordivsi|minsi|maxui
eq|ne|slt|sle|sgt|sge|ult|ule|ugt|uge""".split("\n")
"""Words that may often stand in each other's place."""
CONTEXTS = {
    "body": "vyre.program @p [1, 1, 1] {~}",
    "if": "vyre.program @p [1, 1, 1] {%c = arith.constant true ~}",
    "for": 'vyre.program @p [1, 1, 1] {%n = vyre.param "n" : index ~}',
    "blocks": "func.func @f() {~}",
    "operands": "vyre.program @p [1, 1, 1] {vyre.async_wait ~}",
    "shape": 'vyre.schedule @p {%a = vyre.buffer "a" uniform binding 0 : memref<~xi8>}',
    "name": "vyre.program @~ [1, 1, 1] {}",
    "size": "vyre.program @p [~, 1, 1] {}",
    "module": "builtin.module {~}",
    "attribute": "builtin.module attributes {a = ~} {}",
    "list": "builtin.module attributes {a = [~]} {}",
    "dense": "builtin.module attributes {a = dense<[~]> : tensor<9xi32>} {}",
    "map": "builtin.module attributes {a = affine_map<(d0) -> (~)>} {}",
    "string": 'builtin.module attributes {a = "~"} {}',
    "place": "builtin.module {vyre.program @p [1, 1, 1] {} loc(~)}",
}
"""Where something deep or long may stand."""
NESTED = """
body|3.7|vyre.region {|vyre.barrier grid_sync|}
body|3.7|vyre.region "a" from "b" {|vyre.barrier grid_sync|}
body|3.7|scf.execute_region {||scf.yield }
body|3.7|"vyre.region"() ({||"vyre.yield"() : () -> ()}) : () -> ()
if|3.7|scf.if %c {|vyre.return|}
for|3.7|scf.for %i# = %n to %n step %n {||}
module|3.7|builtin.module {||}
attribute|5|[|1|]
attribute|5|{a = |unit|}
attribute|5|tuple<|i32|>
attribute|5|memref<2x|i32|>
attribute|5|!vyre.cell<|i32|>
attribute|5|() -> (|i32|)
dense|5|[|1|]
map|5|(|d0|)
map|5|d0 * 2 + (|d0| floordiv 3)
map|5|-|d0|
place|5|fused[|"a"|]
place|5|"a"(|unknown|)
place|5|callsite("a" at |"a"|)
""".split("\n")[1:-1]
"""Context, greatest depth as a power of ten, what opens, is inside and closes a level."""
LONG = """
body|4.7|// comment|//|
for|3|%v# = arith.addi %n, %n : index ||
blocks|3|cf.br ^b# ^b#: |func.return|
operands|4|%t, |%t|
shape|4|?x|2|
name|5.4|long|name|
size|6|1|1|
list|4|@a::@b, |1 : i32|
attribute|4|@a::|@a|
map|4|d0 + |d0|
map|4|d0, |d0|
dense|4|1, |1|
string|5|\\22|t|
module|6| ||
""".split("\n")[1:-1]
"""The same, for what is long instead of deep."""

Mutation = Callable[[Random, str], str]
"""From a text to another one. Lone surrogates stand for bytes that are not UTF-8."""


def tokens(text: str) -> list[str]:
    """Words, strings, punctuation and the space between them; joined, the same text."""
    return TOKEN.findall(text)


def truncate(rng: Random, text: str) -> str:
    return text[: rng.randrange(len(text) + 1)]


def edit_tokens(rng: Random, text: str) -> str:
    return _edit(rng, tokens(text))


def edit_lines(rng: Random, text: str) -> str:
    return _edit(rng, text.splitlines(keepends=True))


def _few(rng: Random) -> int:
    """Mostly one: of two mistakes the tool sees only the first."""
    return rng.choice((1, 1, 1, 2, 3))


def _edit(rng: Random, parts: list[str]) -> str:
    """Delete, double, swap or copy some of the parts."""
    for _ in range(_few(rng) if parts else 0):
        here, there = rng.randrange(len(parts)), rng.randrange(len(parts))
        match rng.randrange(4):
            case 0:
                parts[here] = ""
            case 1:
                parts[here] *= 2
            case 2:
                parts[here], parts[there] = parts[there], parts[here]
            case _:
                parts.insert(there, parts[here])
    return "".join(parts)


def edit_blocks(rng: Random, text: str) -> str:
    """Delete, double or copy `{...}`, with or without the operation it belongs to."""
    braces = [found.start() for found in re.finditer(r"\{", text)]
    if not braces:
        return text
    start = end = rng.choice(braces)
    depth = 1
    while depth and end + 1 < len(text):
        end += 1
        depth += {"{": 1, "}": -1}.get(text[end], 0)
    start = rng.choice((start, text.rfind("\n", 0, start) + 1))
    block, target = text[start : end + 1], text.rfind("\n", 0, rng.choice(braces)) + 1
    without = text[:start] + text[end + 1 :]
    copied = text[:target] + block + "\n" + text[target:]
    return rng.choice((without, copied, text[: end + 1] + "\n" + text[start:]))


def splice(rng: Random, text: str) -> str:
    """The beginning of one text and the end of another, or one inside the other."""
    lines = text.splitlines(keepends=True)
    other = rng.choice(programs() + fragments()).splitlines(keepends=True)
    first, last = sorted(rng.choices(range(len(other)), k=2))
    cut = rng.randint(0, len(lines))
    resume = rng.choice((cut, len(lines)))
    return "".join(lines[:cut] + other[first : last + 1] + lines[resume:])


def extreme_numbers(rng: Random, text: str) -> str:
    return _replace(rng, r"(?<![\w%@#^.])-?\d+", text, EXTREMES.split("|"))


def extreme_types(rng: Random, text: str) -> str:
    return _replace(
        rng, r"(memref|!vyre\.\w+)<[^>]*>|\b[if]\d+\b|index\b", text, _rows(TYPES)
    )


def extreme_attributes(rng: Random, text: str) -> str:
    """An attribute where one may stand, or the value of one by another."""
    value = rng.choice(_rows(ATTRIBUTES))
    changed = _replace(rng, r"(?<== )[^=,{}]+(?=[,}])", text, [value])
    return rng.choice((changed, text.replace("] {", f"] attributes {{a = {value}}} {{", 1)))


def strings(rng: Random, text: str) -> str:
    """A quote too many or too few, or a string that no one expects."""
    return _replace(rng, r'"', text, QUOTES.split("|"))


def odd_bytes(rng: Random, text: str) -> str:
    return _replace(rng, r"|\b", text, BYTES.split("|"))


def _rows(table: str) -> list[str]:
    return re.split(r"[|\n]", table)


def _replace(rng: Random, pattern: str, text: str, choices: Sequence[str]) -> str:
    """Replace one to three occurrences, or now and then all of them by the same."""
    spans = [found.span() for found in re.finditer(pattern, text)]
    new, every = rng.choice(choices), rng.random() < 0.1
    chosen = spans if every else rng.sample(spans, min(len(spans), _few(rng)))
    for start, end in sorted(chosen, reverse=True)[:100]:
        text = text[:start] + (new if every else rng.choice(choices)) + text[end:]
    return text


def other_words(rng: Random, text: str) -> str:
    """Operations, types, keywords, names and punctuation by others of their class."""
    parts = tokens(text)
    for _ in range(_few(rng)):
        kind = rng.choice(WORD_KINDS)
        places = [at for at, part in enumerate(parts) if re.match(kind, part)]
        if places:
            parts[rng.choice(places)] = rng.choice(vocabulary()[kind])
    return "".join(parts)


def other_choices(rng: Random, text: str) -> str:
    """A keyword or scalar type by another that fits, in one place or in all."""
    choices = rng.choice(CHOICES).split("|")
    old, new = rng.choice(choices), rng.choice(choices)
    return re.sub(rf"\b{old}\b", new, text, count=rng.choice((0, 0, 1)))


def rename_values(rng: Random, text: str) -> str:
    """A value that is undefined, defined twice, or another one in one place or in all."""
    names: list[str] = sorted(set(re.findall(r"%\w+", text))) or ["%"]
    old = rng.choice(names)
    new = rng.choice((*names, "%undefined", "%0", "%a#1", "%a#99999999999999999999", "%"))
    uses = [found.start() for found in re.finditer(rf"{old}\b", text)]
    chosen = uses if rng.random() < 0.3 else uses and [rng.choice(uses)]
    for start in reversed(chosen):
        text = text[:start] + new + text[start + len(old) :]
    return text


def nested(rng: Random, _: str) -> str:
    return _repeated(rng, rng.choice(NESTED))


def long(rng: Random, _: str) -> str:
    return _repeated(rng, rng.choice(LONG))


def _repeated(rng: Random, row: str) -> str:
    """A random number of levels, and now and then one closed too few or too many."""
    context, most, opening, inside, closing = row.split("|")
    count = round(10 ** rng.uniform(1, float(most)))
    unclosed = rng.choice((0, 0, 0, 0, 1, -1, count))
    opened = "".join(opening.replace("#", str(level)) for level in range(count))
    return CONTEXTS[context].replace("~", opened + inside + closing * (count - unclosed))


def combined(rng: Random, text: str) -> str:
    """Several mutations of one text, for what only goes wrong together."""
    for mutation in rng.choices(list(MUTATIONS.values())[:-3], k=rng.randint(2, 5)):
        text = mutation(rng, text)
    return text


MUTATIONS: dict[str, Mutation] = {
    mutation.__name__: mutation
    for mutation in (
        *(truncate, edit_tokens, edit_lines, edit_blocks, splice, extreme_numbers),
        *(extreme_types, extreme_attributes, strings, odd_bytes, other_words),
        *(other_choices, rename_values, nested, long, combined),
    )
}


def mutant(seed: int, index: int) -> tuple[str, str, Random]:
    """The kind and text of an input, and the source of chance for what is done with it."""
    rng = Random(f"{seed}:{index}")
    kind = list(MUTATIONS)[index % len(MUTATIONS)]
    (source,) = rng.choices((programs(), PROGRAMS, fragments()), (5, 4, 1))
    text = rng.choice(source)
    return kind, MUTATIONS[kind](rng, text), rng
