"""One file through all layers: bytes in, an outcome out, no exception for bad input."""

from __future__ import annotations

import contextlib
import gc
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from mllint_nan.findings import Applicability, Confidence, Finding, Position, Span
from mllint_nan.fixing.apply import choose, splice
from mllint_nan.fixing.repair import Repairer
from mllint_nan.flow.interpreter import Interpreter
from mllint_nan.rulebook.judge import Judge, Verdict
from mllint_nan.rulebook.load import load_rules
from mllint_nan.rulebook.rule import Rule
from mllint_nan.syntax.decoding import SourceError, UnsupportedError, decode
from mllint_nan.syntax.lower import lower_module
from mllint_nan.syntax.source import Source
from mllint_nan.syntax.suppressions import Suppressions

_PASSES_MOST = 100
_TRIALS_MOST = 32
_RECURSION_DEEPEST = 6000
"""Frames of CPython 3.10, which keeps them on the stack, that 8 MiB hold with room to spare."""
_FRAMEWORK_BYTES = (b"torch", b"tensorflow", b"keras", b"jax", b"numpy", b"math", b"scipy")


@dataclass(frozen=True, slots=True)
class Settings:
    """What the user asked for; `select` and `ignore` hold codes, prefixes or rule names.

    `in_package` is known of the file: it is a module of a package, whose users are elsewhere.
    """

    select: tuple[str, ...] = ("NAN",)
    ignore: tuple[str, ...] = ()
    min_confidence: Confidence = Confidence.LIKELY
    unsafe_fixes: bool = False
    in_package: bool = False

    @property
    def applicability(self) -> Applicability:
        """The weakest applicability that may be applied."""
        return Applicability.UNSAFE if self.unsafe_fixes else Applicability.SAFE


@dataclass(frozen=True, slots=True)
class Linted:
    """The file was analysed; `findings` are sorted, selected, and not suppressed."""

    findings: tuple[Finding, ...]
    suppressed: int = 0
    silenced: tuple[tuple[str, int], ...] = ()
    """Codes of findings that a more specific rule stands for, with their number."""


@dataclass(frozen=True, slots=True)
class Unparsable:
    """The file is not Python; `finding` is NAN901 at the place of the error."""

    finding: Finding


@dataclass(frozen=True, slots=True)
class Skipped:
    """The file needs no analysis, or asks for none."""

    reason: str


@dataclass(frozen=True, slots=True)
class Failed:
    """The tool could not do its work on the file; `reason` is one line."""

    reason: str
    traceback: str = ""


Outcome = Linted | Unparsable | Skipped | Failed


@dataclass(frozen=True, slots=True)
class Fixed:
    """The text after all admissible fixes; `outcome` is what remains in it."""

    data: bytes
    applied: tuple[Finding, ...]
    outcome: Outcome
    suppressed: int = field(default=0)


def lint_bytes(data: bytes, filename: str, settings: Settings) -> Outcome:
    """Analyse one file; of `filename` only the folders and the stem count, as hints of purpose.

    Every fix is tried out: one after which the text does not parse, or has a finding that was not
    there before, is only shown.
    """
    outcome = _analysed(data, filename, settings)
    if not isinstance(outcome, Linted):
        return outcome
    chosen = choose(list(outcome.findings), Applicability.UNSAFE)
    if not chosen:
        return outcome
    text = decode(data).text
    refused = set(map(_identity, _harmful(text, chosen, outcome, filename, settings)))
    return _without(outcome, refused) if refused else outcome


def _analysed(data: bytes, filename: str, settings: Settings) -> Outcome:
    if not needs_analysis(data):
        return Skipped("no numerical framework")
    try:
        decoded = decode(data)
        _allow_depth()
        if Suppressions.of(decoded.text).skips_file:
            return Skipped("the file asks to be skipped")
        return _lint_text(decoded.text, filename, settings)
    except SourceError as error:
        return Unparsable(_syntax_error(error))
    except UnsupportedError as error:
        return Failed(str(error))
    except RecursionError:
        return Failed("an expression is nested too deeply to analyse; split it up")


def fix_bytes(data: bytes, filename: str, settings: Settings) -> Fixed:
    """Apply fixes pass by pass until none is left; unfixed input comes back byte for byte.

    A fix after which the text does not parse, or has a finding that was not there before, is
    taken back and not tried again.
    """
    outcome = _analysed(data, filename, settings)
    if not isinstance(outcome, Linted):
        return Fixed(data, (), outcome)
    decoded = decode(data)
    text, applied = decoded.text, []
    refused: set[tuple[str, str]] = set()
    for _ in range(_PASSES_MOST):
        candidates = [finding for finding in outcome.findings if _identity(finding) not in refused]
        chosen = choose(candidates, settings.applicability)
        if not chosen:
            break
        step = _apply(text, chosen, outcome, filename, settings)
        if step is None:
            step, chosen = _apply_singly(text, chosen, outcome, filename, settings, refused)
        if step is None:
            break
        text, outcome = step
        applied += chosen
    outcome = _without(outcome, refused)
    if not applied:
        return Fixed(data, (), outcome)
    try:
        return Fixed(decoded.encode(text), tuple(applied), outcome)
    except UnicodeEncodeError:
        return Fixed(data, (), Failed(f"a fix cannot be written in {decoded.encoding}"))


def _allow_depth() -> None:
    """Chains of calls and branches nest as deep as they are long."""
    if sys.getrecursionlimit() < _RECURSION_DEEPEST:
        sys.setrecursionlimit(_RECURSION_DEEPEST)


def text_of(data: bytes) -> str:
    """The text of a file that was analysed, for showing parts of it."""
    try:
        return decode(data).text
    except SourceError:
        return data.decode("utf-8", "replace")


def needs_analysis(data: bytes) -> bool:
    """Whether the bytes name a framework at all."""
    return any(name in data for name in _FRAMEWORK_BYTES)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A file that was read and evaluated, and the rules that wait to be asked."""

    source: Source
    judge: Judge


def prepare(data: bytes, filename: str, settings: Settings) -> Prepared:
    """Read and evaluate one file.

    Raises SourceError if it is not Python, UnsupportedError if it cannot be analysed.
    """
    _allow_depth()
    prepared = _prepared(decode(data).text, filename, settings)
    prepared.source.check()
    return prepared


def _prepared(text: str, filename: str, settings: Settings) -> Prepared:
    source = Source(text)
    interpreter = Interpreter()
    interpreter.analysis.path = filename
    interpreter.analysis.in_package = settings.in_package
    interpreter.run_module(lower_module(source.module))
    return Prepared(source, Judge(load_rules(), interpreter.analysis, interpreter.build))


@contextlib.contextmanager
def _without_collector() -> Iterator[None]:
    """No search for cycles meanwhile: what an analysis makes, it keeps to its end."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


@_without_collector()
def _lint_text(text: str, filename: str, settings: Settings) -> Linted:
    prepared = _prepared(text, filename, settings)
    source, judge = prepared.source, prepared.judge
    repairer = Repairer(source, judge)
    suppressions = Suppressions.of(text)
    findings, suppressed = [], 0
    for verdict in _wanted(judge, settings):
        if _is_suppressed(source, suppressions, verdict):
            suppressed += 1
        else:
            findings.append(_finding(source, repairer, verdict))
    findings.sort(key=lambda finding: finding.sort_key)
    return Linted(tuple(findings), suppressed, tuple(judge.silenced.items()))


@_without_collector()
def _count(text: str, filename: str, settings: Settings) -> Counter[str]:
    """How often each code is reported; no place and no fix is looked for."""
    prepared = _prepared(text, filename, settings)
    suppressions = Suppressions.of(text)
    wanted = _wanted(prepared.judge, settings)
    if suppressions != Suppressions():
        wanted = [v for v in wanted if not _is_suppressed(prepared.source, suppressions, v)]
    return Counter(verdict.rule.code for verdict in wanted)


def _wanted(judge: Judge, settings: Settings) -> list[Verdict]:
    """The verdicts that the settings ask for."""
    selected = select_rules(settings)  # all are judged: an ignored one still speaks for others
    return [
        verdict
        for verdict in judge.verdicts()
        if verdict.confidence >= settings.min_confidence and verdict.rule in selected
    ]


def _is_suppressed(source: Source, suppressions: Suppressions, verdict: Verdict) -> bool:
    span = source.span(verdict.reported.site)
    first, last = source.lines.position(span.start).row, source.lines.position(span.end).row
    return suppressions.covers(verdict.rule.code, first, last, verdict.rule.name)


def select_rules(settings: Settings) -> tuple[Rule, ...]:
    """The rules that are selected and not ignored; the longer prefix wins."""
    return tuple(rule for rule in load_rules() if is_selected(rule, settings))


def is_selected(rule: Rule, settings: Settings) -> bool:
    def strength(words: tuple[str, ...]) -> int:
        return max(
            (
                len(word) if rule.name != word else len(rule.code)
                for word in words
                if rule.code.startswith(word) or rule.name == word or word == "ALL"
            ),
            default=-1,
        )

    chosen = strength(settings.select)
    return chosen >= 0 and chosen > strength(settings.ignore)


def _finding(source: Source, repairer: Repairer, verdict: Verdict) -> Finding:
    span = source.span(verdict.reported.site)
    return Finding(
        code=verdict.rule.code,
        name=verdict.rule.name,
        message=verdict.case.message,
        span=span,
        start=source.lines.position(span.start),
        end=source.lines.position(span.end),
        confidence=verdict.confidence,
        hazard=verdict.case.hazard,
        framework=verdict.framework,
        witness=verdict.case.witness,
        url=None,
        fix=repairer.fix(verdict),
    )


def _syntax_error(error: SourceError) -> Finding:
    place = Position(error.row, error.column)
    return Finding(
        code="NAN901",
        name="syntax-error",
        message=error.message,
        span=Span(0, 0),
        start=place,
        end=place,
        confidence=Confidence.CERTAIN,
        hazard=None,
        framework=None,
        witness=None,
        url=None,
    )


# Fixing


def _identity(finding: Finding) -> tuple[str, str]:
    edits = "".join(edit.content for edit in finding.fix.edits) if finding.fix else ""
    return finding.code, edits


def _without(outcome: Linted, refused: set[tuple[str, str]]) -> Linted:
    """The same with the refused fixes for display only."""
    return replace(
        outcome,
        findings=tuple(
            replace(finding, fix=replace(finding.fix, applicability=Applicability.DISPLAY_ONLY))
            if finding.fix is not None and _identity(finding) in refused
            else finding
            for finding in outcome.findings
        ),
    )


def _apply(
    text: str, chosen: list[Finding], before: Linted, filename: str, settings: Settings
) -> tuple[str, Linted] | None:
    """The text after the chosen fixes, if it parses and has no new finding."""
    fixed = splice(text, chosen)
    try:
        after = _lint_text(fixed, filename, settings)
    except (SourceError, UnsupportedError, RecursionError):
        return None
    counted = Counter(finding.code for finding in after.findings)
    return None if _exceeds(counted, before, chosen) else (fixed, after)


def _exceeds(counted: Counter[str], before: Linted, chosen: list[Finding]) -> bool:
    """Whether a code is reported more often than what was there, less what was fixed, allows."""
    allowed = Counter(finding.code for finding in before.findings)
    allowed.update(dict(before.silenced))
    allowed.subtract(finding.code for finding in chosen)
    return any(counted[code] > allowed[code] for code in counted)


def _harmful(
    text: str, chosen: list[Finding], before: Linted, filename: str, settings: Settings
) -> list[Finding]:
    """Those whose fix breaks the text or brings a new finding, found by halving.

    What is still in doubt after many analyses counts as harmful.
    """
    harmful: list[Finding] = []
    doubtful = [chosen]
    for _ in range(_TRIALS_MOST):
        if not doubtful:
            break
        group = doubtful.pop()
        if _is_harmless(text, group, before, filename, settings):
            continue
        middle = len(group) // 2
        if middle:
            doubtful += [group[:middle], group[middle:]]
        else:
            harmful += group
    return harmful + [finding for group in doubtful for finding in group]


def _is_harmless(
    text: str, chosen: list[Finding], before: Linted, filename: str, settings: Settings
) -> bool:
    """Whether the text parses after the fixes, and has no new finding."""
    try:
        counted = _count(splice(text, chosen), filename, settings)
    except (SourceError, UnsupportedError, RecursionError):
        return False
    return not _exceeds(counted, before, chosen)


def _apply_singly(
    text: str,
    chosen: list[Finding],
    before: Linted,
    filename: str,
    settings: Settings,
    refused: set[tuple[str, str]],
) -> tuple[tuple[str, Linted] | None, list[Finding]]:
    """One fix at a time: the first that is good is applied, the bad ones are remembered."""
    for finding in chosen:
        step = _apply(text, [finding], before, filename, settings)
        if step is not None:
            return step, [finding]
        refused.add(_identity(finding))
    return None, []
