"""The dialects that Vyre adds to xDSL."""

from collections.abc import Callable

from xdsl.ir import Dialect


def get_all_dialects() -> dict[str, Callable[[], Dialect]]:
    """Vyre's dialects by name; each is imported when it is first asked for."""

    def get_vyre() -> Dialect:
        from vyre.dialects.vyre import Vyre

        return Vyre

    return {"vyre": get_vyre}
