"""
What happens to a program on its way to an engine: lists of passes, by name.

`vyre.compile`, `vyre-opt` and the tests read them here. Each list is a pass, too, which
expands to it: `vyre-host-plan`, `vyre-cpu-pipeline` and `vyre-cuda-pipeline`. Options of a
pipeline go to each of its passes that has an option of that name, such as `grid` and
`sizes` to `vyre-prove-inbounds`.
"""

HOST_PLAN = (
    "vyre-expand-switches",
    "vyre-promote-lets",
    "vyre-predicate-returns",
    "vyre-hoist-grid-sync",
    "vyre-propagate-lets",
    "vyre-split-grid-sync",
    "vyre-rewrite-access",
)
"""From programs with grid barriers to schedules of programs without."""

CPU = (
    *HOST_PLAN,
    "vyre-launch-programs",
    "vyre-share-uniform-loops",
    "vyre-forward-grid-values",
    "vyre-outline-regions",
    "vyre-launch-instances",
    "vyre-merge-programs",
    "vyre-store-once",
    "vyre-plan-workgroups",
)
"""From programs to schedules that become LLVM IR."""

CPU_SIZED = ("vyre-prove-inbounds",)
"""What follows when sizes and grid are known: again for each of them."""

CUDA_NATIVE = (
    "vyre-expand-switches",
    "vyre-prove-inbounds",
    "vyre-promote-lets",
    "vyre-return-at-traps{waiting=true}",
    "vyre-predicate-returns{waiting=true}",
    "vyre-simplify",
)
"""From programs, with grid barriers or without, to what becomes CUDA C++."""

CUDA_SPLIT = (
    "vyre-expand-switches",
    "vyre-promote-lets",
    "vyre-predicate-returns{waiting=true}",
    "vyre-hoist-grid-sync",
    "vyre-propagate-lets",
    "vyre-split-grid-sync",
    "vyre-rewrite-access",
    *CUDA_NATIVE,
)
"""The same, split at grid barriers first. A program without any keeps its returns."""
