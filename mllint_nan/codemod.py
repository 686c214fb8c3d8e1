"""The repairs as a codemod of LibCST, for projects that run their migrations with it.

`python -m libcst.tool codemod --external mllint_nan.codemod.RepairCommand --no-format src/`
"""

from __future__ import annotations

import argparse
from dataclasses import replace

import libcst as cst
from libcst.codemod import CodemodCommand, CodemodContext, SkipFile

from mllint_nan.config.line_length import line_length_of
from mllint_nan.config.resolve import Configurations
from mllint_nan.files import is_excluded
from mllint_nan.linter import fix_text
from mllint_nan.project import settings_at
from mllint_nan.results import Failed, Linted, Skipped, Unparsable
from mllint_nan.screening import needs_analysis

_STDIN = "stdin.py"
"""The file name of a text that has none."""


class RepairCommand(CodemodCommand):
    """Applies what `--fix` applies, under the same configuration, and warns of what is left."""

    DESCRIPTION = "Repair code whose values or gradients become NaN or infinite."

    @staticmethod
    def add_args(arg_parser: argparse.ArgumentParser) -> None:
        arg_parser.add_argument(
            "--unsafe-fixes", action="store_true", help="also apply what may change finite results"
        )

    def __init__(self, context: CodemodContext, unsafe_fixes: bool = False) -> None:
        super().__init__(context)
        self.unsafe_fixes = unsafe_fixes

    def transform_module_impl(self, tree: cst.Module) -> cst.Module:
        """Raises `SkipFile` for what is excluded, asks to be skipped, or cannot be analysed."""
        path = self.context.filename or _STDIN
        configurations = Configurations({})
        settings = settings_at(path, configurations)
        data = tree.code.encode("utf-8", "surrogatepass")
        if not needs_analysis(data, settings.operations, settings.project):
            return tree
        if is_excluded(path, configurations):
            raise SkipFile("excluded by the configuration of mllint-nan")
        unsafe = settings.unsafe_fixes or self.unsafe_fixes
        settings = replace(settings, unsafe_fixes=unsafe, line_length=line_length_of(path))
        fixed = fix_text(tree.code, path, settings)
        match fixed.outcome:
            case Linted(findings):
                for failure in fixed.outcome.failures:
                    self.warn(f"{path}: {failure.reason}")
                for finding in findings:
                    place = f"{finding.start.row}:{finding.start.column}"
                    self.warn(f"{path}:{place}: {finding.code} {finding.message}")
            case Skipped(reason) | Failed(reason):
                raise SkipFile(reason)
            case Unparsable(finding):
                raise SkipFile(finding.message)
        return cst.parse_module(fixed.text, tree.config_for_parsing) if fixed.applied else tree
