"""The plugin for flake8, which calls it once for every file that it can parse.

Findings that `# noqa` silences are reported too: flake8 drops them itself, and other tools ask it
which it dropped. The rules of a file are those of its configuration, among which flake8's own
`--select` and `--ignore` choose. flake8 can pass on an error only as a finding: NAN900.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, ClassVar

from mllint_nan.screening import needs_analysis
from mllint_nan.version import __version__

if TYPE_CHECKING:
    from mllint_nan.config.resolve import Configurations
    from mllint_nan.findings import Finding

_ERROR = "NAN900"
Report = tuple[int, int, str, type["Plugin"]]
"""Row, from 1; column, from 0; code and message; the plugin."""


class Plugin:
    """The findings of one file."""

    name: ClassVar[str] = "mllint-nan"
    version: ClassVar[str] = __version__

    def __init__(self, tree: ast.AST, lines: Sequence[str], filename: str) -> None:
        """flake8 passes what the parameters name; it reports a file without a tree as E999."""
        self.text = "".join(lines)
        self.filename = filename

    def run(self) -> Iterator[Report]:
        for row, column, said in _said(self.text, self.filename):
            yield row, column - 1, said, type(self)


def _said(text: str, filename: str) -> Iterator[tuple[int, int, str]]:
    """Row and column, both from 1, with code and message."""
    from mllint_nan.baseline import BaselineError
    from mllint_nan.config.keys import ConfigError
    from mllint_nan.project import settings_at
    from mllint_nan.results import Failed, Linted, LintResult, Skipped, Unparsable

    outcome: LintResult
    try:
        settings = settings_at(filename, _configurations())
    except (ConfigError, BaselineError) as error:
        outcome = Failed(str(error))
    else:
        data = text.encode("utf-8", "surrogatepass")
        if not needs_analysis(data, settings.operations, settings.project):
            return
        from mllint_nan.linter import lint_text

        outcome = lint_text(text, filename, settings)
    findings: Sequence[Finding]
    match outcome:
        case Linted(findings, suppressed):
            findings = (*findings, *_left_to_flake8(text, suppressed))
            for failure in outcome.failures:
                yield 1, 1, f"{_ERROR} {failure.reason}"
        case Unparsable(_, _, read):
            findings = (*outcome.whole.findings, *_left_to_flake8(text, read.suppressed))
        case Skipped():
            findings = ()
        case Failed(reason):
            yield 1, 1, f"{_ERROR} not checked by mllint-nan: {reason}"
            return
    for finding in sorted(findings, key=lambda finding: finding.sort_key):
        witness = f" ({finding.witness})" if finding.witness else ""
        message = f"{finding.code} {finding.message}{witness}"
        yield finding.start.row, finding.start.column, message


def _left_to_flake8(text: str, suppressed: Sequence[Finding]) -> Iterator[Finding]:
    """Yield the findings that only comments silence which flake8 reads itself at their row."""
    from mllint_nan.syntax.suppressions import Form, Suppressions

    suppressions = Suppressions.of(text)
    for finding in suppressed:
        first, last = finding.start.row, finding.end.row
        covering = suppressions.covering(finding.code, finding.name, first, last)
        if all(
            directive.form in (Form.NOQA, Form.FILE_NOQA) and first in directive.rows
            for directive in covering
        ):
            yield finding


@cache
def _configurations() -> Configurations:
    from mllint_nan.config.resolve import Configurations

    return Configurations({})
