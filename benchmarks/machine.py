"""What a figure was measured on."""

import os
import platform
import shutil
import subprocess
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from benchmarks.peers.catalogue import PEERS


def machine() -> dict[str, object]:
    return {
        "processor": processor(),
        "cores": len(os.sched_getaffinity(0)),
        "system": f"{platform.system()} {platform.release()}",
        "python": platform.python_version(),
        "gcc": compiler(),
        "packages": packages(),
        "load": round(os.getloadavg()[0], 2),
        "busy": is_busy(),
    }


def is_busy() -> bool:
    """
    Did anything else run in the last minute? Threads that meet at barriers lose a time
    slice whenever one of them has no core, and the peers lose differently.
    """
    return os.getloadavg()[0] > 0.5


def processor() -> str:
    info = Path("/proc/cpuinfo")
    lines = info.read_text().splitlines() if info.exists() else []
    names = [line.split(":", 1)[1].strip() for line in lines if "model name" in line]
    return names[0] if names else platform.processor()


def compiler() -> str | None:
    path = shutil.which("gcc")
    if path is None:
        return None
    output = subprocess.run([path, "--version"], capture_output=True, text=True, check=True)
    return output.stdout.splitlines()[0]


def packages() -> dict[str, str]:
    """Versions of what peers need, as far as it is installed."""
    found: dict[str, str] = {}
    for name in dict.fromkeys(name for peer in PEERS.values() for name in peer.packages):
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found
