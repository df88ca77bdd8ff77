"""
Megakernels as programs in which waves that differ in literals stand once.

Before:

```mlir
vyre.megakernel @m {
  vyre.wave "a" @fill grid [1, 1, 1] after [] with {n = 7 : i32} group 0
  vyre.wave "b" @fill grid [1, 1, 1] after [] with {n = 9 : i32} group 0
}
```

After:

```mlir
vyre.program @m [64, 1, 1] {
  %x = vyre.buffer "x" write_only binding 0 : memref<?xi32>
  %n = vyre.param "a.n" : i32
  %begin = vyre.param "a.begin" : index
  vyre.region "a" from "fill" attributes {
    vyre.apart = 0 : i64,
    vyre.instances = {"a.n" = [7 : i32, 9 : i32], "a.begin" = [0 : index, 1 : index]}
  } { ... }
}
```

The region is to be executed once for each of its instances, with these values of the
parameters (`vyre-launch-instances`). So hundreds of waves, of few kinds, cost little more
than these few: all passes until there are launches see each kind once. It is for the code
generator alone; others get the program that `vyre-fuse-waves` makes.

Why it is the same as fusing all waves, and is refused if that is:

- Instances are waves of one group that run a program with the same buffers, parameters and
  grid. What differs are literals for parameters, which the program takes as parameters
  anyway, and behind which workgroups their own begin (see `vyre.passes.fuse_waves`), where
  any number is right. That group has a wave of each kind, so that in each phase the same
  buffers are accessed in the same way as if all waves were there; the rules look at
  nothing else. Workgroups, layouts and dependencies are asked for all waves.
- Instances are apart from each other as all waves of a group are, so that they may be
  launched in any order. Each launch has its own workgroup memory, which starts as zeros;
  megakernels whose waves use the same memory in turn are left alone.
- Megakernels with grid barriers, scratch or traps in their waves are left alone: regions
  with these cannot be launched on their own.
- A wave that runs on the grid of the dispatch as it is stays as it is, since its loops may
  be moved to the schedule (`vyre-share-uniform-loops`).

Literals that a processor can do more with than with a register stay literals, and those
that all waves of a program have in common.
"""

from collections import defaultdict
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from typing import TypeAlias

from xdsl.dialects.builtin import (
    ArrayAttr,
    DictionaryAttr,
    IndexType,
    IntegerAttr,
    StringAttr,
)
from xdsl.ir import Attribute

from vyre.analysis.walking import operations_in
from vyre.dialects.vyre import (
    BarrierOp,
    MegakernelOp,
    ParamOp,
    ProgramOp,
    RegionOp,
    ScratchOp,
    TrapOp,
    WaveOp,
)
from vyre.lowering.llvm.forms import is_passable
from vyre.passes.fuse_waves import check_groups, fused_groups
from vyre.passes.rules.reserved import INSTANCES
from vyre.passes.wave_layouts import Layout, fused_workgroup, layout_of
from vyre.passes.wave_tiles import tile_names

_Literals: TypeAlias = dict[str, Attribute]


@dataclass(frozen=True)
class _Instance:
    """A wave that is shared out, and what makes it differ from others of its kind."""

    wave: WaveOp
    family: int
    """The same for waves with the same code on the same buffers, if they are passed the
    literals."""
    literals: _Literals
    """Those that can be passed."""
    begin: int
    """Behind how many workgroups its own begin."""


def condensed_program(megakernel: MegakernelOp) -> ProgramOp | None:
    """
    The waves of a megakernel as one program, those that differ in literals once; None if
    there are none, or if they cannot be launched on their own. Raises `Refusal` where
    `fused_program` does.

    Example: `condensed_program(megakernel) or fused_program(megakernel)`
    """
    check_groups(megakernel)
    waves, programs = list(megakernel.waves), megakernel.programs()
    if not all(map(_is_launchable, dict.fromkeys(programs))):
        return None
    instances = list(_instances(waves, programs))
    kinds = _kinds(instances)
    left_out = {each.wave for kind in kinds for each in kind[1:]}
    chosen = [pair for pair in zip(waves, programs) if pair[0] not in left_out]
    names = tile_names(*zip(*chosen)) if left_out else {}
    if not left_out or any(name != used for name, used in names.items()):
        return None
    condensing = _Condensing(megakernel, chosen)
    different = _different(instances)
    for kind in kinds:
        condensing.add(kind, different[kind[0].family])
    return condensing.program()


def _is_launchable(program: ProgramOp) -> bool:
    """Whether there is nothing in a program that is about more than its own wave."""
    return not any(
        isinstance(op, ScratchOp | TrapOp)
        or (isinstance(op, BarrierOp) and op.is_grid_sync)
        for op in operations_in(program.body)
    )


def _instances(
    waves: Sequence[WaveOp], programs: Sequence[ProgramOp]
) -> Iterator[_Instance]:
    """The waves that are shared out, group by group."""
    workgroup = fused_workgroup(waves, programs)
    layouts: dict[Hashable, Layout] = {}
    params = {program: _params(program) for program in dict.fromkeys(programs)}
    families: dict[Hashable, int] = {}
    taken: defaultdict[int, int] = defaultdict(int)
    for wave, program in zip(waves, programs):
        shape = (program, wave.grid)
        if shape not in layouts:
            layouts[shape] = layout_of(wave, program, workgroup)
        if layouts[shape] is Layout.AS_IS:
            continue
        given = _given(wave)
        literals = {
            name: value
            for name, value in given.items()
            if params[program].get(name) and not isinstance(value, StringAttr)
        }
        kept = frozenset((n, v) for n, v in given.items() if n not in literals)
        # A parameter that is not given has the name of the wave.
        alone = None if params[program].keys() <= given.keys() else wave
        family = families.setdefault((*shape, kept, alone), len(families))
        yield _Instance(wave, family, literals, taken[_group(wave)])
        taken[_group(wave)] += prod(wave.workgroups or (0,))


def _given(wave: WaveOp) -> Mapping[str, Attribute]:
    """The names and literals that a wave gives to its program."""
    return {} if wave.arguments is None else wave.arguments.data


def _params(program: ProgramOp) -> dict[str, bool]:
    """The parameters of a program, and whether numbers are as good as literals for them."""
    params = (entry for entry in program.table if isinstance(entry, ParamOp))
    return {param.entry_name.data: is_passable(param.value) for param in params}


def _group(wave: WaveOp) -> int:
    assert wave.group is not None
    return wave.group.value.data


def _kinds(instances: Iterable[_Instance]) -> list[list[_Instance]]:
    """Instances that are to stand once."""
    kinds: defaultdict[Hashable, list[_Instance]] = defaultdict(list)
    for each in instances:
        kinds[_group(each.wave), each.family, frozenset(each.literals)].append(each)
    return list(kinds.values())


def _different(instances: Iterable[_Instance]) -> dict[int, set[str]]:
    """The parameters for which waves of a family do not all have the same literal."""
    first: dict[int, _Literals] = {}
    found: defaultdict[int, set[str]] = defaultdict(set)
    for each in instances:
        common = first.setdefault(each.family, each.literals)
        different = found[each.family]
        names = (common.keys() | each.literals.keys()) - different
        different.update(n for n in names if common.get(n) != each.literals.get(n))
    return found


class _Condensing:
    """Makes a megakernel of one wave of each kind, and fuses it."""

    def __init__(
        self, megakernel: MegakernelOp, chosen: Sequence[tuple[WaveOp, ProgramOp]]
    ):
        self._megakernel = megakernel
        self._copies = {wave: wave.clone() for wave, _ in chosen}
        self._programs = [program for _, program in chosen]
        self._begins: dict[WaveOp, str] = {}
        self._columns: dict[str, DictionaryAttr] = {}
        self._taken = _names(megakernel)

    def add(self, kind: Sequence[_Instance], different: set[str]) -> None:
        """Let the first of a kind stand for all."""
        first, copy = kind[0], self._copies[kind[0].wave]
        columns: dict[str, ArrayAttr[Attribute]] = {}
        if len(kind) > 1 or first.begin:
            name = self._begins[copy] = self._free_name(first.wave, "begin")
            begins = [IntegerAttr(each.begin, IndexType()) for each in kind]
            columns[name] = ArrayAttr[Attribute](begins)
        given = dict(_given(copy))
        for entry in sorted(different & first.literals.keys()):
            name = self._free_name(first.wave, entry)
            given[entry] = StringAttr(name)
            columns[name] = ArrayAttr([each.literals[entry] for each in kind])
        copy.arguments = DictionaryAttr(given)
        self._columns[first.wave.label.data] = DictionaryAttr(columns)

    def program(self) -> ProgramOp:
        """The waves that are there, fused."""
        old = self._megakernel
        new = MegakernelOp(old.sym_name.data, list(self._copies.values()))
        new.attributes.update(old.attributes)
        new.location = old.location
        program = fused_groups(new, self._programs, self._begins)
        for region in program.body.block.ops:
            if isinstance(region, RegionOp) and region.generator is not None:
                columns = self._columns.get(region.generator.data)
                if columns is not None and columns.data:
                    region.attributes[INSTANCES] = columns
        return program

    def _free_name(self, wave: WaveOp, entry: str) -> str:
        name = f"{wave.label.data}.{entry}"
        while name in self._taken:
            name += "_"
        self._taken.add(name)
        return name


def _names(megakernel: MegakernelOp) -> set[str]:
    """All names of buffers and parameters."""
    programs = megakernel.programs()
    tables = {program: list(program.table) for program in dict.fromkeys(programs)}
    arguments = (
        wave.argument(entry)
        for wave, program in zip(megakernel.waves, programs)
        for entry in tables[program]
    )
    return {name for name in arguments if isinstance(name, str)}
