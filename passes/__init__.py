"""Passes over Vyre programs, one per module."""

from collections.abc import Callable, Mapping
from importlib import import_module

from xdsl.passes import ModulePass

_PASSES = {
    "vyre-expand-subgroups": ("expand_subgroups", "ExpandSubgroupsPass"),
    "vyre-expand-switches": ("expand_switches", "ExpandSwitchesPass"),
    "vyre-fuse-waves": ("fuse_waves", "FuseWavesPass"),
    "vyre-hoist-grid-sync": ("hoist_grid_sync", "HoistGridSyncPass"),
    "vyre-host-plan": ("host_plan", "HostPlanPass"),
    "vyre-isolate-workgroup": ("isolate_workgroup", "IsolateWorkgroupPass"),
    "vyre-launch-programs": ("launched_once", "LaunchProgramsPass"),
    "vyre-plan-megakernel": ("plan_megakernel", "PlanMegakernelPass"),
    "vyre-predicate-returns": ("predicate_returns", "PredicateReturnsPass"),
    "vyre-promote-lets": ("promote_lets", "PromoteLetsPass"),
    "vyre-propagate-lets": ("propagate_lets", "PropagateLetsPass"),
    "vyre-prove-inbounds": ("prove_inbounds", "ProveInboundsPass"),
    "vyre-remove-barriers": ("remove_barriers", "RemoveBarriersPass"),
    "vyre-return-at-traps": ("return_at_traps", "ReturnAtTrapsPass"),
    "vyre-rewrite-access": ("rewrite_access", "RewriteAccessPass"),
    "vyre-simplify": ("simplify", "SimplifyPass"),
    "vyre-split-grid-sync": ("split_grid_sync", "SplitGridSyncPass"),
    "vyre-test-uniformity": ("test_uniformity", "TestUniformityPass"),
    "vyre-validate-split": ("validate_split", "ValidateSplitPass"),
    "vyre-verify-program": ("verify_program", "VerifyProgramPass"),
}
"""Module and class of each pass."""


def get_all_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """Passes for all targets by name; each is imported when it is first asked for."""
    return importers(__name__, _PASSES)


def importers(
    package: str, table: Mapping[str, tuple[str, str]]
) -> dict[str, Callable[[], type[ModulePass]]]:
    """
    Functions that import passes of a package.

    Example: `importers("vyre.passes", {"p": ("promote_lets", "PromoteLetsPass")})["p"]()`
    """

    def importer(module: str, name: str) -> Callable[[], type[ModulePass]]:
        return lambda: getattr(import_module(f"{package}.{module}"), name)

    return {name: importer(*where) for name, where in table.items()}
