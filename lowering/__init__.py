"""What programs become outside the IR: text for engines and for people."""

from collections.abc import Callable

from xdsl.utils.target import Target


def get_all_targets() -> dict[str, Callable[[], type[Target]]]:
    """Vyre's targets by name; each is imported when it is first asked for."""

    def get_explain() -> type[Target]:
        from vyre.lowering.explain import ExplainTarget

        return ExplainTarget

    return {"vyre-explain": get_explain}
