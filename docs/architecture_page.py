"""
Writes `docs/architecture.md` from the lists in `pipelines.py`.

    python docs/architecture_page.py --write    write the page
    python docs/architecture_page.py            fail if the page is out of date
"""

import argparse
import inspect
import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from xdsl.utils.arg_spec import parse_pipeline

from vyre import pipelines
from vyre.lowering import get_all_passes

PAGE = Path(__file__).with_name("architecture.md")

HEAD = """\
<!-- Written by docs/architecture_page.py from pipelines.py. `make docs` renews it. -->

# The way of a program

```text
 text        vyre.parse, vyre-verify-program              dialects/, passes/rules/
  |
 program     a list of passes, the same for `vyre.compile` and `vyre-opt`
  |            every step prints, parses again, and means the same on the reference engine;
  |            every schedule is proved to do what its program does (validation/)
  |                                                        passes/, lowering/*/passes/
 schedule    translated, without further rewrites of the IR
  |            LLVM IR                                      lowering/llvm/
  |            CUDA C++                                     lowering/cuda/
 code        compiled, kept in memory and on disk, launched runtime/
```

`pipelines.py` has the lists. Each is a pass, too, which expands to its list:

```console
$ vyre-opt scan.mlir -p vyre-cpu-pipeline --print-between-passes
$ vyre-opt scan.mlir -p 'vyre-cuda-pipeline{mode=native}' --print-between-passes
```

In Python, `exe.passes()` gives the IR after each pass, and `exe.explain()` names those that
change the program. Passes talk to each other through the IR only: launches say that they
are `concurrent` and as what they are reported, `vyre.workgroups` says how to run the
workgroups of a program.
"""

LISTS = {
    "The host plan: `vyre-host-plan`": pipelines.HOST_PLAN,
    "The CPU engine: `vyre-cpu-pipeline`": pipelines.CPU + pipelines.CPU_SIZED,
    "The CUDA engine, launch by launch: `vyre-cuda-pipeline`": pipelines.CUDA_SPLIT,
    "The CUDA engine, as one kernel: `vyre-cuda-pipeline{mode=native}`": (
        pipelines.CUDA_NATIVE
    ),
}


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for title, names in LISTS.items():
        parts.append("\n".join([f"## {title}", "", *_rows(names)]) + "\n")
    return "\n".join(parts)


def _rows(names: Sequence[str]) -> Iterator[str]:
    yield "| pass | what it does |"
    yield "|---|---|"
    known = get_all_passes()
    for name in names:
        (spec,) = parse_pipeline(name)
        yield f"| `{name}` | {_summary(inspect.getdoc(known[spec.name]()) or '')} |"


def _summary(doc: str) -> str:
    """The first sentence."""
    sentence = re.split(r"(?<=[.:])\s|\n\n", doc.strip(), maxsplit=1)[0]
    return " ".join(sentence.split()).rstrip(".:").replace("|", "\\|")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    if parser.parse_args().write:
        PAGE.write_text(page())
    elif PAGE.read_text() != page():
        sys.exit(f"{PAGE.name} is out of date: run `make docs`")


if __name__ == "__main__":
    main()
