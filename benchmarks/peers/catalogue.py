"""All peers, in the order in which they are shown."""

from importlib import import_module
from typing import NamedTuple

from benchmarks.peers.runner import Absent, Runner
from benchmarks.workloads.case import Case


class Peer(NamedTuple):
    module: str
    function: str
    is_python: bool
    """Do its users write Python? The best of these is what Vyre is compared with."""
    packages: tuple[str, ...] = ()
    """What it needs beyond what Vyre needs; their versions are reported."""


PEERS = {
    "vyre": Peer("vyre_peer", "prepare", False, ("llvmlite", "xdsl")),
    "c-openmp": Peer("c_code", "openmp", False),
    "c-threads": Peer("c_code", "threads", False),
    "c-1-thread": Peer("c_code", "one_thread", False),
    "numba": Peer("numba_peer", "prepare", True, ("numba",)),
    "numba-phases": Peer("numba_peer", "prepare_phases", True, ("numba",)),
    "numpy": Peer("numpy_peer", "prepare", True, ("numpy",)),
    "numpy-library": Peer("numpy_peer", "prepare_library", True, ("numpy",)),
    "jax": Peer("jax_peer", "prepare", True, ("jax", "jaxlib")),
    "taichi": Peer("taichi_peer", "prepare", True, ("taichi",)),
    "warp": Peer("warp_peer", "prepare", True, ("warp-lang",)),
    "pocl": Peer("pocl_peer", "prepare", True, ("pyopencl", "pocl-binary-distribution")),
}


def prepare(peer: str, case: Case) -> Runner:
    """A case ready to run on a peer, or `Absent`."""
    entry = PEERS[peer]
    try:
        module = import_module(f"benchmarks.peers.{entry.module}")
    except ImportError as error:
        raise Absent(f"cannot be imported: {error}") from error
    return getattr(module, entry.function)(case)
