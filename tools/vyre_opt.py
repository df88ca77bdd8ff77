"""
`vyre-opt`: everything `xdsl-opt` does, with Vyre's dialect, passes and diagnostics.

Operations know their place in the source and keep it through passes; programs are
checked as wholes after parsing; and whatever goes wrong is one diagnostic and exit code
1, never a traceback.
"""

import re
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from io import BytesIO
from typing import IO, NoReturn

from typing_extensions import override
from xdsl.dialects.builtin import ModuleOp
from xdsl.passes import ModulePass, PassPipeline
from xdsl.utils.arg_spec import parse_pipeline
from xdsl.xdsl_opt_main import xDSLOptMain

from vyre.diagnostics import VyreError, did_you_mean
from vyre.locations import inherit_locations
from vyre.passes.pipeline import expanded
from vyre.passes.validate_split import SPLITTING, Baseline
from vyre.passes.verify_ops import verify_ops
from vyre.passes.verify_program import verify_programs
from vyre.reading import decode, parse_text
from vyre.source import deep_recursion
from vyre.tools.failures import blaming, refused, report_failures


class _Parser(ArgumentParser):
    """Says what is wrong as everything else does."""

    @override
    def error(self, message: str) -> NoReturn:
        raise refused(self, message)


class VyreOptMain(xDSLOptMain):
    """
    The tool as a class, for projects that add dialects, passes or targets of their own.

    Example:

    ```python
    class MyOpt(VyreOptMain):
        def register_all_passes(self):
            super().register_all_passes()
            self.register_pass("my-pass", lambda: MyPass)
    ```
    """

    version_format = "vyre-opt on xDSL {xdsl_version}"

    def __init__(self, args: Sequence[str] | None = None):
        super().__init__("Vyre modular optimizer driver", args)
        if self.args.input_file == "-":
            self.args.input_file = None

    @override
    def register_all_arguments(self, arg_parser: ArgumentParser) -> None:
        super().register_all_arguments(arg_parser)
        arg_parser.prog = "vyre-opt"
        arg_parser.__class__ = _Parser  # xDSL makes it, and would print its usage.
        arg_parser.add_argument(
            "--validate",
            action="store_true",
            help="prove that schedules mean what their programs meant before the passes "
            "that split",
        )

    @override
    def get_input_name(self) -> str:
        return self.args.input_file or "<stdin>"

    @override
    def register_all_frontends(self) -> None:
        def parse_mlir(stream: IO[bytes]) -> ModuleOp:
            name = self.get_input_name()
            implicit_module = not self.args.no_implicit_module
            return parse_text(
                decode(stream.read(), name),
                name,
                self.ctx,
                implicit_module=implicit_module,
                verify=False,
            )

        self.available_frontends["mlir"] = parse_mlir

    @override
    def prepare_input(self) -> tuple[list[tuple[IO[bytes], int]], str]:
        try:
            return super().prepare_input()
        except ValueError as error:
            raise VyreError(str(error), "read it as MLIR with `-f mlir`") from None

    @override
    def parse_chunk(
        self, chunk: IO[bytes], file_extension: str, start_offset: int = 0
    ) -> ModuleOp | None:
        # Empty lines in front make every location the one in the whole file.
        padded = BytesIO(b"\n" * start_offset + chunk.read())
        return super().parse_chunk(padded, file_extension, start_offset)

    @override
    def setup_pipeline(self) -> None:
        for spec in parse_pipeline(self.args.passes):
            if spec.name not in self.available_passes:
                raise VyreError(
                    f"there is no pass '{spec.name}'",
                    did_you_mean(spec.name, self.available_passes)
                    or "`vyre-opt --help` lists all passes",
                )
        try:
            super().setup_pipeline()
        except ValueError as error:
            given, _, known = str(error).partition("not found in expected")
            wrong, right = (re.findall(r'"(.*?)"', part) for part in (given, known))
            fix = did_you_mean(wrong[0], right) if wrong else None
            fix = fix or "give the options that the pass has"
            raise VyreError(str(error), fix) from None
        self.pipeline = PassPipeline(expanded(self.pipeline.passes), self.pipeline.callback)
        # xDSL verifies between passes by printing the module; `apply_passes` does better.
        self._verifies = not self.args.disable_verify
        self.args.disable_verify = True

    @override
    def apply_passes(self, prog: ModuleOp) -> None:
        report = self.pipeline.callback
        assert report is not None
        with deep_recursion():
            previous: ModulePass | None = None
            baseline: Baseline | None = None
            passed: list[ModulePass] = []
            self._verify(prog, whole_programs=True)
            for following in self.pipeline.passes:
                report(previous, prog, following)
                if following.name not in SPLITTING:
                    baseline = None
                elif baseline is None and self.args.validate:
                    baseline, passed = Baseline.of(prog), []
                with blaming(f"pass '{following.name}'", prog):
                    following.apply(self.ctx, prog)
                inherit_locations(prog)
                self._verify(prog)
                if baseline is not None:
                    passed.append(following)
                    baseline.check(prog, [each.name for each in expanded(passed)])
                previous = following
            report(previous, prog, None)

    def _verify(self, module: ModuleOp, *, whole_programs: bool = False) -> None:
        if self._verifies:
            verify_ops(module)
            if whole_programs:
                verify_programs(module)

    @override
    def output_resulting_program(self, prog: ModuleOp) -> str:
        with deep_recursion(), blaming(f"target '{self.args.target}'", prog):
            return super().output_resulting_program(prog)


def main() -> None:
    """The `vyre-opt` command."""
    sys.exit(report_failures(lambda: VyreOptMain().run()))
