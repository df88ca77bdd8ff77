"""Passes over Vyre programs, one per module."""

from collections.abc import Callable

from xdsl.passes import ModulePass


def get_all_passes() -> dict[str, Callable[[], type[ModulePass]]]:
    """Vyre's passes by name; each is imported when it is first asked for."""

    def get_verify_program() -> type[ModulePass]:
        from vyre.passes.verify_program import VerifyProgramPass

        return VerifyProgramPass

    def get_promote_lets() -> type[ModulePass]:
        from vyre.passes.promote_lets import PromoteLetsPass

        return PromoteLetsPass

    def get_test_uniformity() -> type[ModulePass]:
        from vyre.passes.test_uniformity import TestUniformityPass

        return TestUniformityPass

    return {
        "vyre-promote-lets": get_promote_lets,
        "vyre-test-uniformity": get_test_uniformity,
        "vyre-verify-program": get_verify_program,
    }
