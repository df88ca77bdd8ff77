"""Runs a command and says at its end how long processors were busy with it."""

import resource
import subprocess
import sys
import time


def main() -> int:
    started = time.monotonic()
    code = subprocess.call(sys.argv[1:])
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    wall = time.monotonic() - started
    busy = used.ru_utime + used.ru_stime
    print(f"{busy:.0f} processor seconds in {wall:.0f} s", flush=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
