"""
Which modules soundness rests on, and which tests judge mutations of them.

The tests are those beside a module, what is quick and likely to notice first. Tests are
named by what is between `test_` and `.py`, in whatever folder they are.
"""

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

ROOT = Path(__file__).parents[2]
FILECHECK = "tests/filecheck/passes/{}"
UNIT, LLVM, CUDA = "test_{}.py", "test_llvm_{}.py", "test_cuda_{}.py"
_FILES = {path.name: path for path in ROOT.glob("tests/unit/**/test_*.py")}


def _named(pattern: str, names: str) -> list[str]:
    """From the root, as pytest takes them."""
    found = [pattern.format(name) for name in names.split()]
    if pattern is FILECHECK:
        return found
    return [str(_FILES[name].relative_to(ROOT)) for name in found]


SPLITS = str(_FILES["test_small_programs.py"].parent.relative_to(ROOT))


SPLITTING = [
    *_named(
        FILECHECK,
        "hoist_grid_sync propagate_lets split_grid_sync rewrite_access host_plan",
    ),
    SPLITS,
    *_named(UNIT, "split_fuzz"),
]
RETURNS = [
    *_named(FILECHECK, "predicate_returns promote_lets"),
    *_named(UNIT, "predicate_returns predicate_returns_in_loops promote_lets"),
    *_named(UNIT, "early_returns split_fuzz"),
]
RULES = [
    *_named(FILECHECK, "verify_program"),
    "tests/filecheck/analysis",
    *_named(UNIT, "verify_module effects"),
]
NUMBERS = [
    *_named(FILECHECK, "prove_inbounds"),
    *_named(UNIT, "ranges bounds"),
    *_named(LLVM, "row_bounds row_programs"),
]
WAVES = [
    *_named(FILECHECK, "plan_megakernel fuse_waves"),
    *_named(UNIT, "waves waves_memory fuse_waves wave_plan"),
]
ON_CPU = [*_named(UNIT, "cpu_traps cpu_programs"), *_named(LLVM, "row_programs")]
ON_SCHEDULES = [
    "tests/filecheck/lowering/llvm/passes",
    *_named(LLVM, "merging outlining grid_values uniform_stores condensing rewrites"),
    *_named(UNIT, "assertions"),
    *ON_CPU,
]
ON_CUDA = [*_named(CUDA, "programs nvrtc undefined")]
DISPATCH = [
    *_named(
        UNIT,
        "conformance holes_in_dispatch pinned_runtime refusals errors fixpoint calls "
        "calls_trouble held_memory faults route launch_geometry trace mistakes foreign",
    ),
    *_named(UNIT, "executable"),
]

_TABLE: Sequence[tuple[str, str, Sequence[str]]] = (
    # Passes that split, and what they decide with.
    (
        "passes",
        "hoist_grid_sync propagate_lets split_grid_sync rewrite_access segments "
        "carried_workgroup_memory run_writer workgroup_saves holder_positions",
        SPLITTING,
    ),
    (
        "passes",
        "promote_lets predicate_returns returns any_alive guarded_run contributions "
        "for_as_while",
        RETURNS,
    ),
    (
        "passes",
        "remove_barriers dead_code",
        [
            *_named(FILECHECK, "remove_barriers"),
            *_named(UNIT, "remove_barriers dead_code split_fuzz"),
        ],
    ),
    ("passes", "prove_inbounds", NUMBERS),
    (
        "passes",
        "simplify evaluation",
        [*_named(FILECHECK, "simplify"), *_named(CUDA, "known scalars"), *ON_CUDA],
    ),
    (
        "passes",
        "expand_subgroups subgroup_totals isolate_workgroup",
        [
            *_named(FILECHECK, "expand_subgroups isolate_workgroup"),
            *_named(UNIT, "expand_subgroups workgroup_plan"),
            *ON_CPU,
        ],
    ),
    ("passes", "fuse_waves wave_layouts wave_memory wave_tables wave_tiles", WAVES),
    ("passes/rules", "barriers", RULES),
    (
        "analysis",
        "crossing keeping slots spine variables positions host_values recomputation "
        "min_cut workgroup_liveness overwriting buffer_sources",
        [
            *_named(UNIT, "keeping slots spine min_cut workgroup_liveness walking"),
            *SPLITTING,
        ],
    ),
    (
        "analysis",
        "uniformity phases purity conflicts stretches meetings",
        [
            *RULES,
            *_named(FILECHECK, "remove_barriers"),
            *_named(UNIT, "remove_barriers dead_code"),
            *RETURNS,
            *SPLITTING,
        ],
    ),
    (
        "analysis",
        "ranges facts integer_ops conditions carried bounds geometry extents launches",
        NUMBERS,
    ),
    ("analysis", "waves wave_effects packing", WAVES),
    # Scalars, memory and barriers in code of the CPU.
    (
        "lowering/llvm",
        "scalars integers floats half conversions division powers folding masks",
        [
            *_named(LLVM, "integers conversions floats scalars folding"),
            *_named(LLVM, "conditional_division optimised"),
            *ON_CPU,
        ],
    ),
    (
        "lowering/llvm",
        "accesses buffer_parts local_memory workgroup_memory collectives meetings "
        "phases workgroup_phases workgroups invocations control",
        [
            *_named(LLVM, "local_memory parts workgroup_phases stretches target"),
            *ON_CPU,
        ],
    ),
    (
        "lowering/llvm",
        "clipping prefixes sifting row_bounds loop_bounds loop_versions row_parts "
        "shifted_rows paired_trips aligned_blocks free_parts",
        [
            *_named(LLVM, "clipping prefixes sifting row_bounds loop_bounds parts"),
            *_named(LLVM, "shifted_rows paired_trips low_bits"),
            *ON_CPU,
        ],
    ),
    (
        "lowering/llvm/passes",
        "share_uniform_loops merge_programs outline_regions launch_instances "
        "forward_grid_values store_once",
        ON_SCHEDULES,
    ),
    (
        "lowering/llvm/passes",
        "plan_workgroups",
        [
            *_named(FILECHECK, "isolate_workgroup"),
            *_named(UNIT, "workgroup_plan"),
            *_named(LLVM, "workgroup_phases"),
        ],
    ),
    ("lowering/llvm", "condensing", ON_SCHEDULES),
    # The same in CUDA C++.
    (
        "lowering/cuda",
        "division integers floats conversions comparisons expressions numbers literals "
        "scalars folding half_functions needs counting",
        [
            *_named(CUDA, "integers conversions floats scalars known functions"),
            *_named(CUDA, "control"),
            *ON_CUDA,
        ],
    ),
    (
        "lowering/cuda",
        "accesses pointers signature subgroups copies ids control loops "
        "grid_barrier kernel",
        [
            *_named(CUDA, "control subgroups target"),
            *ON_CUDA,
            *_named(UNIT, "grid_barrier grid_barrier_runs cuda_conformance"),
        ],
    ),
    # Dispatch.
    (
        "runtime",
        "binding arguments geometry executable device session results passes calls "
        "runs route schedule_host host_memory launch_geometry batch_storage row "
        "resident held bound scalars",
        DISPATCH,
    ),
)


def _rows() -> Iterator[tuple[str, Sequence[str]]]:
    for folder, names, tests in _TABLE:
        texts = [f"tests/filecheck/{folder}"] if folder.startswith("lowering") else []
        for name in names.split():
            yield f"{folder}/{name}.py", [*texts, *tests]


JUDGES: Mapping[str, Sequence[str]] = dict(_rows())
"""The tests that judge a module, the most likely ones first."""
