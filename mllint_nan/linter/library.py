"""The API for other programs: text in, findings out; an exception if it cannot be analysed."""

from __future__ import annotations

import warnings
from dataclasses import dataclass

from mllint_nan.findings import Finding
from mllint_nan.linter.checking import BOM, lint_text
from mllint_nan.linter.fixing import fix_text
from mllint_nan.results import Failed, Linted, LintResult, Skipped, Unparsable
from mllint_nan.screening import needs_analysis
from mllint_nan.settings import Settings


class AnalysisError(Exception):
    """A text is Python but cannot be analysed; the message is one line."""


class AnalysisWarning(UserWarning):
    """A rule failed on a text, while the others did not; the message is one line."""


@dataclass(frozen=True, slots=True)
class FixedSource:
    """A text after its fixes were applied, and the findings that are left in it."""

    text: str
    applied: tuple[Finding, ...]
    findings: tuple[Finding, ...]


def check_text(text: str, filename: str, settings: Settings) -> tuple[Finding, ...]:
    """The findings in a text, whatever encoding it declares; raises `AnalysisError`."""
    if not _concerns(text, settings):
        return ()
    outcome = lint_text(text.removeprefix(BOM), filename, settings)
    return _findings_of(outcome, filename)


def repair_text(text: str, filename: str, settings: Settings) -> FixedSource:
    """A text with its fixes applied; raises `AnalysisError`."""
    if not _concerns(text, settings):
        return FixedSource(text, (), ())
    bare = text.removeprefix(BOM)
    fixed = fix_text(bare, filename, settings)
    bom = text[: len(text) - len(bare)]
    return FixedSource(bom + fixed.text, fixed.applied, _findings_of(fixed.outcome, filename))


def _concerns(text: str, settings: Settings) -> bool:
    try:
        return needs_analysis(text.encode("utf-8"), settings.operations)
    except UnicodeEncodeError:
        raise AnalysisError("the text contains half a surrogate pair, as no file can") from None


def _findings_of(outcome: LintResult, filename: str) -> tuple[Finding, ...]:
    match outcome:
        case Linted() | Unparsable():
            found = outcome if isinstance(outcome, Linted) else outcome.whole
            for failure in found.failures:
                warnings.warn(f"{filename}: {failure.reason}", AnalysisWarning, stacklevel=4)
            return found.findings
        case Failed(reason):
            raise AnalysisError(reason)
        case Skipped():
            return ()
