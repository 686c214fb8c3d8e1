"""Check one file: bytes or text in, a result out; bad input raises no exception."""

from __future__ import annotations

from mllint_nan.findings import Applicability
from mllint_nan.fixing.apply import choose
from mllint_nan.linter import analysis, selection
from mllint_nan.linter.evaluation import allow_depth
from mllint_nan.linter.fix_validation import (
    brings,
    counts_after,
    fix_identity,
    harmful_fixes,
    harms,
    with_followers,
    with_refused,
)
from mllint_nan.linter.malformed import analysed_in_part, analysed_with_spaces, too_deep
from mllint_nan.linter.reports import unparsable
from mllint_nan.project_files import unchanging
from mllint_nan.results import Linted, LintResult, Skipped
from mllint_nan.screening import needs_analysis
from mllint_nan.settings import Settings
from mllint_nan.syntax.decoding import Decoded, NoPython, SourceError, UnsupportedError, is_python
from mllint_nan.syntax.markdown import Markdown
from mllint_nan.syntax.notebooks import Notebook, is_notebook
from mllint_nan.syntax.reading import Readable, read, text_of
from mllint_nan.syntax.suppressions import suppressions_of

BOM = "\ufeff"
_NOT_NAMED = "no numerical framework named, so not parsed"
LONGEST = 10_000_000
"""Characters of a program; its tree takes some hundred times as many bytes."""


@unchanging()
def lint_bytes(data: bytes, filename: str, settings: Settings) -> LintResult:
    """Analyse one file, as `lint_text` does; positions in a notebook are those in its program."""
    decoded = readable(data, filename, settings)
    match decoded:
        case Markdown(text):
            return _only_shown(lint_text(text, filename, settings))
        case Decoded() | Notebook():
            return lint_text(decoded.text, filename, settings)
        case _:
            return decoded


def _only_shown(outcome: LintResult) -> LintResult:
    """The findings without fixes that can be applied."""
    if not isinstance(outcome, Linted):
        return outcome
    every = {fix_identity(finding) for finding in outcome.findings}
    return with_refused(outcome, every, "nothing is changed in Markdown")


@unchanging()
def lint_text(text: str, filename: str, settings: Settings) -> LintResult:
    """Analyse a text; only the folders and the stem of `filename` count, as hints of its purpose.

    Every fix is tried out: one after which the text does not parse, or has a finding that was not
    there before, is only shown.
    """
    outcome = analysed(text, filename, settings)
    if not isinstance(outcome, Linted):
        return outcome
    chosen = choose(list(outcome.findings), Applicability.UNSAFE)
    if not chosen:
        return outcome
    after = counts_after(text, chosen, filename, settings)
    if after is None or harms(after, outcome, chosen, settings):
        refused = set(map(fix_identity, harmful_fixes(text, chosen, outcome, filename, settings)))
        outcome = with_refused(outcome, refused)
        chosen = [finding for finding in chosen if fix_identity(finding) not in refused]
    elif not brings(after.counted, outcome, chosen):
        return outcome
    return with_followers(text, outcome, chosen, filename, settings)


def readable(data: bytes, filename: str, settings: Settings) -> Readable | LintResult:
    is_named = needs_analysis(data, settings.operations, settings.project)
    if not is_named and not is_notebook(filename):
        return Skipped(_NOT_NAMED)
    try:
        program = read(data, filename)
        return program if is_named else Skipped(_NOT_NAMED)
    except NoPython as other:
        return Skipped(str(other))
    except SourceError as error:
        if is_notebook(filename) or not error.is_in_text:
            return unparsable(error, settings)
        text = text_of(data, filename).removeprefix(BOM)
        return analysed_in_part(text, error, filename, settings)


def analysed(text: str, filename: str, settings: Settings) -> LintResult:
    try:
        allow_depth()
        if len(text) > LONGEST:
            return Skipped(f"more than {LONGEST:,} characters")
        suppressions = suppressions_of(text)
        if suppressions.skips_file:
            return Skipped("the file asks to be skipped")
        is_bare = suppressions.is_empty and not settings.known
        if is_bare and selection.is_silent(filename, settings) and is_python(text):
            return Linted(())
        return analysis.findings_in(text, filename, settings)
    except SourceError as error:
        return analysed_in_part(text, error, filename, settings)
    except UnsupportedError as error:
        return analysed_with_spaces(text, error, filename, settings)
    except RecursionError as error:
        return too_deep(text, error)
