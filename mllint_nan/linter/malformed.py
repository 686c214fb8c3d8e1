"""Texts that are not Python 3, or nest too deeply, and what can still be reported in them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from mllint_nan.findings import Finding
from mllint_nan.garbage_collection import paused
from mllint_nan.linter import selection
from mllint_nan.linter.analysis import (
    findings_in,
    less_known,
    with_places,
    without_findings,
)
from mllint_nan.linter.evaluation import allow_depth
from mllint_nan.linter.reports import misspelt_comments, unparsable
from mllint_nan.linter.selection import selected_codes
from mllint_nan.results import Failed, LintResult, Skipped, Unparsable, innermost
from mllint_nan.settings import Settings
from mllint_nan.syntax.decoding import SourceError, UnsupportedError, depth_of, tree_of
from mllint_nan.syntax.lines import Lines
from mllint_nan.syntax.suppressions import suppressions_of

if TYPE_CHECKING:
    from mllint_nan.syntax.mending import Mended

_NOT_OFFERED = "not offered: the file is not Python 3"
_TABS = "not offered: the file is indented by tabs and by spaces"
_NESTED_DEEPEST = 300
"""The depth of nested nodes; a walk takes several frames for each."""


def analysed_in_part(
    text: str, error: SourceError, filename: str, settings: Settings
) -> LintResult:
    """The result of a text that is not Python 3, in which nothing is ever repaired."""
    try:
        allow_depth()
        if suppressions_of(text).skips_file:
            return Skipped("the file asks to be skipped")
        if selection.is_silent(filename, settings):
            return unparsable(error, settings)
        return _lint_in_part(text, error, filename, settings)
    except (SourceError, UnsupportedError, RecursionError):
        return unparsable(error, settings)


@paused()
def _lint_in_part(text: str, error: SourceError, filename: str, settings: Settings) -> Unparsable:
    from mllint_nan.syntax.mending import mend

    mended = mend(text, error)
    if mended is None:
        return unparsable(error, settings)
    suppressions, selected = suppressions_of(text), selected_codes(settings)
    outcome = without_findings(mended.text, filename, selected, settings)
    if outcome is None:
        correct = replace(suppressions, mistakes=())  # their places are those of the whole text
        outcome = with_places(mended.text, filename, selected, correct, set(), settings)
    lines = Lines(text)
    outcome = replace(
        outcome,
        findings=(
            *(_in_original(one, mended, lines, _NOT_OFFERED) for one in outcome.findings),
            *misspelt_comments(text, suppressions, settings),
        ),
        suppressed=tuple(
            _in_original(one, mended, lines, _NOT_OFFERED) for one in outcome.suppressed
        ),
    )
    if settings.known:
        outcome = less_known(outcome, text, settings)
    first, *others = (unparsable(one, settings).finding for one in mended.errors)
    return Unparsable(first, tuple(others), outcome)


def analysed_with_spaces(
    text: str, error: UnsupportedError, filename: str, settings: Settings
) -> LintResult:
    """The result of a text that only CPython reads: its indentation mixes tabs and spaces.

    Nothing is repaired in it.
    """
    from mllint_nan.syntax.mending import with_spaces

    spaced = with_spaces(text)
    if spaced is None:
        return Failed(str(error))
    try:
        outcome = findings_in(spaced.text, filename, settings)
    except (SourceError, UnsupportedError, RecursionError):
        return Failed(str(error))
    lines = Lines(text)
    return replace(
        outcome,
        findings=tuple(_in_original(one, spaced, lines, _TABS) for one in outcome.findings),
        suppressed=tuple(_in_original(one, spaced, lines, _TABS) for one in outcome.suppressed),
    )


def _in_original(finding: Finding, mended: Mended, lines: Lines, reason: str) -> Finding:
    """A finding at its position in the original text, with its repair only in words."""
    span, fix = mended.original(finding.span), finding.fix
    if fix is not None:
        fix = replace(fix, edits=()).only_shown(reason)
    return replace(
        finding,
        span=span,
        start=lines.position(span.start),
        end=lines.position(span.end),
        fix=fix,
    )


def too_deep(text: str, error: RecursionError) -> Failed:
    """The failure to report: the user has to act only if the text itself nests so deeply."""
    tree = tree_of(text)
    if tree is None or depth_of(tree) > _NESTED_DEEPEST:
        return Failed("an expression is nested too deeply to analyse; split it up")
    return Failed(f"internal error: {type(error).__name__}: {error}", innermost(error))
