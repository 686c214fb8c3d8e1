"""Apply the fixes to one file, in passes, and remove what they leave unused."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mllint_nan.findings import Finding
from mllint_nan.fixing.apply import choose
from mllint_nan.fixing.passes import Promises
from mllint_nan.linter.analysis import claims
from mllint_nan.linter.checking import analysed, lint_bytes, lint_text, readable
from mllint_nan.linter.evaluation import Prepared, evaluated
from mllint_nan.linter.fix_validation import apply_fixes, apply_singly, fix_identity, with_refused
from mllint_nan.project_files import unchanging
from mllint_nan.results import Failed, Linted, LintResult
from mllint_nan.rulebook.tool import TOOL_RULES
from mllint_nan.settings import Settings
from mllint_nan.syntax.decoding import Decoded
from mllint_nan.syntax.markdown import Markdown
from mllint_nan.syntax.notebooks import Notebook
from mllint_nan.syntax.reading import read
from mllint_nan.syntax.suppressions import Form, silence

_PASSES_MOST = 100


@dataclass(frozen=True, slots=True)
class FixedText:
    """The text after all admissible fixes; `outcome` is what remains in it."""

    text: str
    applied: tuple[Finding, ...]
    outcome: LintResult


@dataclass(frozen=True, slots=True)
class Fixed:
    """The file after all admissible fixes; `outcome` is what remains in it."""

    data: bytes
    applied: tuple[Finding, ...]
    outcome: LintResult


@unchanging()
def fix_bytes(data: bytes, filename: str, settings: Settings) -> Fixed:
    """Repair one file, as `fix_text` does; input without a fix comes back byte for byte."""
    decoded = readable(data, filename, settings)
    if not isinstance(decoded, Decoded | Notebook):
        return Fixed(data, (), lint_bytes(data, filename, settings))
    fixed = fix_text(decoded.text, filename, settings)
    if not fixed.applied:
        return Fixed(data, (), fixed.outcome)
    try:
        return Fixed(decoded.encode(fixed.text), fixed.applied, fixed.outcome)
    except UnicodeEncodeError:
        return Fixed(data, (), Failed(f"a fix cannot be written in {decoded.encoding}"))


@unchanging()
def fix_text(text: str, filename: str, settings: Settings) -> FixedText:
    """Apply the fixes that `lint_text` shows, in passes, because some wait for others.

    A fix after which the text does not parse, or has a finding that was not there before, is
    taken back and not tried again. Findings that only appear on the way are left for another run.
    """
    before = text
    outcome: LintResult = lint_text(text, filename, settings)
    if not isinstance(outcome, Linted):
        return FixedText(text, (), outcome)
    promises = Promises.of(claims(outcome.findings))
    applied: list[Finding] = []
    refused: set[tuple[str, str]] = set()
    for _ in range(_PASSES_MOST):
        kept = promises.kept(claims(outcome.findings))
        candidates = [finding for finding in kept if fix_identity(finding) not in refused]
        chosen = choose(candidates, settings.applicability)
        if not chosen:
            break
        step = apply_fixes(text, chosen, outcome, filename, settings)
        if step is None:
            step, chosen = apply_singly(text, chosen, outcome, filename, settings, refused)
        if step is None:
            break
        text, outcome = step
        promises = promises.after(chosen)
        applied += chosen
    if applied:
        text, outcome = _tidied(before, text, outcome, filename, settings)
    return FixedText(text, tuple(applied), with_refused(outcome, refused))


def _tidied(
    before: str, text: str, outcome: Linted, filename: str, settings: Settings
) -> tuple[str, Linted]:
    """The text without what several fixes together left unused, and with its lines wrapped."""
    from mllint_nan.fixing.branches import without_equal_branches
    from mllint_nan.fixing.leftovers import loses_readers, without_unread
    from mllint_nan.syntax.layout import laid_out

    prepared: Prepared | None = None
    for tidied, is_due in (
        (without_equal_branches, "where" in text),
        (without_unread, loses_readers(before, text)),
    ):
        if not is_due:
            continue
        if prepared is None or prepared.source.text != text:
            prepared = evaluated(text, filename, settings)
        shorter = tidied(before, prepared.source, prepared.judge.analysis)
        text, outcome = _unless_found(text, shorter, outcome, filename, settings)
    if settings.line_length is None:
        return text, outcome
    broken = laid_out(before, text, settings.line_length)
    return _unless_found(text, broken, outcome, filename, settings)


def _unless_found(
    text: str, tidied: str, outcome: Linted, filename: str, settings: Settings
) -> tuple[str, Linted]:
    """The tidied text with its outcome, or the text as it was if the findings would differ."""
    if tidied == text:
        return text, outcome
    after = analysed(tidied, filename, settings)
    if not isinstance(after, Linted):
        return text, outcome
    pairs = ((one.findings, one.suppressed) for one in (outcome, after))
    was, is_now = ([[one.code for one in claims(some)] for some in pair] for pair in pairs)
    return (tidied, after) if was == is_now else (text, outcome)


def silence_bytes(data: bytes, filename: str, findings: Iterable[Finding], form: Form) -> bytes:
    """A file with comments that silence these findings; those of the tool itself are left out.

    Markdown is left as it is.

    Raises UnicodeEncodeError if the file's encoding has no such characters.
    """
    tool = {rule.code for rule in TOOL_RULES}
    decoded = read(data, filename)
    wanted = [(finding.start.row, finding.code) for finding in findings if finding.code not in tool]
    if not wanted or isinstance(decoded, Markdown):
        return data
    return decoded.encode(silence(decoded.text, wanted, form))
