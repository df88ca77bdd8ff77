"""
Draws the pictures of the handbook: plans of the README's program and of examples.

    python docs/pictures.py --write    write them
    python docs/pictures.py            fail if one is out of date
"""

import argparse
import re
import sys
from pathlib import Path

import vyre
from vyre.passes.plan_megakernel import PlanMegakernelPass
from vyre.tools.plan.drawing import plan_drawing, wave_drawing
from vyre.tools.plan.model import Plan
from vyre.tools.plan.wave_plan import wave_plans_in

DOCS = Path(__file__).parent


def pictures() -> dict[Path, str]:
    """What each file should hold."""
    readme = (DOCS.parent / "README.md").read_text()
    (program,) = re.findall(r"```mlir\n(.*?)```", readme, re.DOTALL)
    jacobi = (DOCS.parent / "examples" / "jacobi.mlir").read_text()
    return {
        DOCS / "rotate.svg": _picture(program),
        DOCS / "jacobi.svg": _picture(jacobi),
        DOCS / "rules.svg": _waves(DOCS.parent / "examples" / "rules.mlir"),
    }


def _picture(text: str) -> str:
    exe = vyre.compile(text, mode="split")
    plan = Plan.of(exe.route(exe.config, None).unit.op)
    return plan_drawing(plan, plan.summary)


def _waves(path: Path) -> str:
    """With the budget that the page about megakernels has."""
    module = vyre.parse(path)
    planning = PlanMegakernelPass(budget=150_000, graph=33_968, packing="best")
    planning.apply(vyre.context(), module)
    (plan,) = wave_plans_in(module)
    return wave_drawing(plan)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    write = parser.parse_args().write
    for path, picture in pictures().items():
        if write:
            path.write_text(picture, encoding="utf-8")
        elif path.read_text(encoding="utf-8") != picture:
            sys.exit(f"{path.name} is out of date. Fix: run `make docs` and commit it")


if __name__ == "__main__":
    main()
