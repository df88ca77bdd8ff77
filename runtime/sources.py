"""What an engine generates for a program, for people to read."""

from vyre.runtime.errors import blaming_engine
from vyre.runtime.geometry import programs_of
from vyre.runtime.route import Route


def sources_of(route: Route) -> dict[str, str]:
    """
    The text that is generated for what runs, by names of files.

    Example: `sources_of(exe.route(exe.config, None))["scan.ll"]`
    """
    variant, backend = route.variant, route.variant.backend
    if backend.capabilities.whole:
        kernels = [variant.whole_kernel(route.unit)]
    else:
        kernels = [variant.kernel(program) for program in programs_of(route.unit.op)]
    found: dict[str, str] = {}
    with blaming_engine(backend.name, f"show the source of @{route.unit.name}"):
        for kernel in kernels:
            found |= backend.sources(kernel)
    return found
