"""One file through all layers: bytes in, an outcome out, no exception for bad input."""

from __future__ import annotations

import sys
import warnings
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, NamedTuple

from mllint_nan.findings import Applicability, Confidence, Finding, Position, Span
from mllint_nan.fingerprints import fingerprints, known
from mllint_nan.fixing.apply import choose, splice
from mllint_nan.fixing.composition import joined
from mllint_nan.fixing.passes import Promises
from mllint_nan.fixing.unused import judged, misspelt, unused
from mllint_nan.flow.callers import visit_callers
from mllint_nan.flow.interpreter import Interpreter
from mllint_nan.frameworks.registry import own_signatures
from mllint_nan.garbage_collection import paused
from mllint_nan.ir import program as ir
from mllint_nan.project_files import is_test
from mllint_nan.results import (
    Failed,
    Linted,
    LintResult,
    RuleFailure,
    Skipped,
    Unparsable,
    innermost,
)
from mllint_nan.rulebook.audit import Audit
from mllint_nan.rulebook.judge import Judge, Verdict
from mllint_nan.rulebook.load import load_rules
from mllint_nan.rulebook.rule import Rule
from mllint_nan.rulebook.selection import most_selective, strongest
from mllint_nan.rulebook.tool import TOOL_RULES, UNUSED_SUPPRESSION
from mllint_nan.screening import needs_analysis
from mllint_nan.settings import Settings
from mllint_nan.syntax import lower_ast
from mllint_nan.syntax.decoding import (
    Decoded,
    NoPython,
    SourceError,
    UnsupportedError,
    decode,
    depth_of,
    is_python,
    tree_of,
)
from mllint_nan.syntax.lines import Lines
from mllint_nan.syntax.markdown import Markdown
from mllint_nan.syntax.notebooks import Notebook, is_notebook
from mllint_nan.syntax.reading import Readable, read, text_of
from mllint_nan.syntax.suppressions import (
    Directive,
    Form,
    Suppressions,
    silence,
    suppressions_of,
)
from mllint_nan.syntax.symbol_table import remember
from mllint_nan.verify.failures import Unavailable

if TYPE_CHECKING:
    from mllint_nan.fixing.repair import Repairer
    from mllint_nan.syntax.mending import Mended
    from mllint_nan.syntax.source import Source

_BOM = "\ufeff"
_NOT_OFFERED = "not offered: the file is not Python 3"
_NOT_NAMED = "no numerical framework named, so not parsed"
_BREAKS = "it would break the file, or bring a new finding"
_LONGEST = 10_000_000
"""Characters of a program; its tree takes some hundred times as many bytes."""
_PASSES_MOST = 100
_TRIALS_MOST = 32
_STEPS_MOST = 3
"""How often the repair of what a repair has brought up is followed."""
_NESTED_DEEPEST = 300
"""Nodes within each other, of which a walk takes several frames each."""
_RECURSION_DEEPEST = 6000
"""Frames of CPython 3.10, which keeps them on the stack, that 8 MiB hold with room to spare."""


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


class AnalysisError(Exception):
    """A text is Python and cannot be analysed; the message is one line."""


class AnalysisWarning(UserWarning):
    """A rule failed on a text, and the others did not; the message is one line."""


@dataclass(frozen=True, slots=True)
class FixedSource:
    """A text after the fixes that were applied, and the findings that are left in it."""

    text: str
    applied: tuple[Finding, ...]
    findings: tuple[Finding, ...]


def check_text(text: str, filename: str, settings: Settings) -> tuple[Finding, ...]:
    """The findings in a text, whatever encoding it declares; raises `AnalysisError`."""
    if not _concerns(text, settings):
        return ()
    outcome = lint_text(text.removeprefix(_BOM), filename, settings)
    return _findings_of(outcome, filename)


def repair_text(text: str, filename: str, settings: Settings) -> FixedSource:
    """A text with its fixes applied; raises `AnalysisError`."""
    if not _concerns(text, settings):
        return FixedSource(text, (), ())
    bare = text.removeprefix(_BOM)
    fixed = fix_text(bare, filename, settings)
    bom = text[: len(text) - len(bare)]
    return FixedSource(bom + fixed.text, fixed.applied, _findings_of(fixed.outcome, filename))


def _concerns(text: str, settings: Settings) -> bool:
    try:
        return needs_analysis(text.encode("utf-8"), settings.operations)
    except UnicodeEncodeError:
        raise AnalysisError("the text has half a surrogate pair, as no file can") from None


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


def lint_bytes(data: bytes, filename: str, settings: Settings) -> LintResult:
    """Analyse one file, as `lint_text` does; places in a notebook are those of its program."""
    decoded = _decoded(data, filename, settings)
    match decoded:
        case Markdown(text):
            return _only_shown(lint_text(text, filename, settings))
        case Decoded() | Notebook():
            return lint_text(decoded.text, filename, settings)
        case _:
            return decoded


def _only_shown(outcome: LintResult) -> LintResult:
    """Without a fix that could be applied."""
    if not isinstance(outcome, Linted):
        return outcome
    every = {_identity(finding) for finding in outcome.findings}
    return _without(outcome, every, "nothing is changed in Markdown")


def lint_text(text: str, filename: str, settings: Settings) -> LintResult:
    """Analyse a text; of `filename` only the folders and the stem count, as hints of purpose.

    Every fix is tried out: one after which the text does not parse, or has a finding that was not
    there before, is only shown.
    """
    outcome = _analysed(text, filename, settings)
    if not isinstance(outcome, Linted):
        return outcome
    chosen = choose(list(outcome.findings), Applicability.UNSAFE)
    if not chosen:
        return outcome
    after = _after(text, chosen, filename, settings)
    if after is None or _harms(after, outcome, chosen, settings):
        refused = set(map(_identity, _harmful(text, chosen, outcome, filename, settings)))
        outcome = _without(outcome, refused)
        chosen = [finding for finding in chosen if _identity(finding) not in refused]
    elif not _brings(after.counted, outcome, chosen):
        return outcome
    return _whole(text, outcome, chosen, filename, settings)


def _decoded(data: bytes, filename: str, settings: Settings) -> Readable | LintResult:
    is_named = needs_analysis(data, settings.operations)
    if not is_named and not is_notebook(filename):
        return Skipped(_NOT_NAMED)
    try:
        program = read(data, filename)
        return program if is_named else Skipped(_NOT_NAMED)
    except NoPython as other:
        return Skipped(str(other))
    except SourceError as error:
        if is_notebook(filename) or not error.is_in_text:
            return _unparsable(error, settings)
        text = text_of(data, filename).removeprefix(_BOM)
        return _analysed_in_part(text, error, filename, settings)


def _analysed(text: str, filename: str, settings: Settings) -> LintResult:
    try:
        _allow_depth()
        if len(text) > _LONGEST:
            return Skipped(f"more than {_LONGEST:,} characters")
        suppressions = suppressions_of(text)
        if suppressions.skips_file:
            return Skipped("the file asks to be skipped")
        is_bare = suppressions.is_empty and not settings.known
        if is_bare and is_silent(filename, settings) and is_python(text):
            return Linted(())
        return _lint_text(text, filename, settings)
    except SourceError as error:
        return _analysed_in_part(text, error, filename, settings)
    except UnsupportedError as error:
        return Failed(str(error))
    except RecursionError as error:
        return _too_deep(text, error)


def _analysed_in_part(
    text: str, error: SourceError, filename: str, settings: Settings
) -> LintResult:
    """What becomes of a text that is not Python 3: nothing in it is ever repaired."""
    try:
        _allow_depth()
        if suppressions_of(text).skips_file:
            return Skipped("the file asks to be skipped")
        if is_silent(filename, settings):
            return _unparsable(error, settings)
        return _lint_in_part(text, error, filename, settings)
    except (SourceError, UnsupportedError, RecursionError):
        return _unparsable(error, settings)


@paused()
def _lint_in_part(text: str, error: SourceError, filename: str, settings: Settings) -> Unparsable:
    from mllint_nan.syntax.mending import mend

    mended = mend(text, error)
    if mended is None:
        return _unparsable(error, settings)
    suppressions, selected = suppressions_of(text), _selected(settings)
    outcome = _without_findings(mended.text, filename, selected, settings)
    if outcome is None:
        correct = replace(suppressions, mistakes=())  # their places are those of the whole text
        outcome = _with_places(mended.text, filename, selected, correct, set(), settings)
    lines = Lines(text)
    outcome = replace(
        outcome,
        findings=(
            *(_in_original(one, mended, lines) for one in outcome.findings),
            *_misspelt(text, suppressions, settings),
        ),
        suppressed=tuple(_in_original(one, mended, lines) for one in outcome.suppressed),
    )
    if settings.known:
        outcome = _less_known(outcome, text, settings)
    first, *others = (_unparsable(one, settings).finding for one in mended.errors)
    return Unparsable(first, tuple(others), outcome)


def _in_original(finding: Finding, mended: Mended, lines: Lines) -> Finding:
    """A finding where it stands in the text as it is, with its repair in words alone."""
    span, fix = mended.original(finding.span), finding.fix
    if fix is not None:
        fix = replace(fix, edits=()).only_shown(_NOT_OFFERED)
    return replace(
        finding,
        span=span,
        start=lines.position(span.start),
        end=lines.position(span.end),
        fix=fix,
    )


def _too_deep(text: str, error: RecursionError) -> Failed:
    """Who has to do something about it: the user, where the text itself nests so deeply."""
    tree = tree_of(text)
    if tree is None or depth_of(tree) > _NESTED_DEEPEST:
        return Failed("an expression is nested too deeply to analyse; split it up")
    return Failed(f"internal error: {type(error).__name__}: {error}", innermost(error))


def is_silent(filename: str, settings: Settings) -> bool:
    """Whether nothing that the rules find in a file is as certain as what is asked for."""
    return settings.min_confidence > Confidence.POSSIBLE and is_test(filename)


def fix_bytes(data: bytes, filename: str, settings: Settings) -> Fixed:
    """Repair one file, as `fix_text` does; unfixed input comes back byte for byte."""
    decoded = _decoded(data, filename, settings)
    if not isinstance(decoded, Decoded | Notebook):
        return Fixed(data, (), lint_bytes(data, filename, settings))
    fixed = fix_text(decoded.text, filename, settings)
    if not fixed.applied:
        return Fixed(data, (), fixed.outcome)
    try:
        return Fixed(decoded.encode(fixed.text), fixed.applied, fixed.outcome)
    except UnicodeEncodeError:
        return Fixed(data, (), Failed(f"a fix cannot be written in {decoded.encoding}"))


def fix_text(text: str, filename: str, settings: Settings) -> FixedText:
    """Apply the fixes that `lint_text` shows, in passes, as some wait for others.

    A fix after which the text does not parse, or has a finding that was not there before, is
    taken back and not tried again. What comes up only on the way is left for another run.
    """
    before = text
    outcome: LintResult = lint_text(text, filename, settings)
    if not isinstance(outcome, Linted):
        return FixedText(text, (), outcome)
    promises = Promises.of(_claims(outcome.findings))
    applied: list[Finding] = []
    refused: set[tuple[str, str]] = set()
    for _ in range(_PASSES_MOST):
        kept = promises.kept(_claims(outcome.findings))
        candidates = [finding for finding in kept if _identity(finding) not in refused]
        chosen = choose(candidates, settings.applicability)
        if not chosen:
            break
        step = _apply(text, chosen, outcome, filename, settings)
        if step is None:
            step, chosen = _apply_singly(text, chosen, outcome, filename, settings, refused)
        if step is None:
            break
        text, outcome = step
        promises = promises.after(chosen)
        applied += chosen
    if applied:
        text, outcome = _tidied(before, text, outcome, filename, settings)
    return FixedText(text, tuple(applied), _without(outcome, refused))


def _tidied(
    before: str, text: str, outcome: Linted, filename: str, settings: Settings
) -> tuple[str, Linted]:
    """The text without what several fixes together left unread, and with lines of its length."""
    from mllint_nan.fixing.branches import without_equal_branches
    from mllint_nan.fixing.leftovers import loses_readers, without_unread
    from mllint_nan.syntax.layout import laid_out

    for tidied, is_due in (
        (without_equal_branches, "where" in text),
        (without_unread, loses_readers(before, text)),
    ):
        if not is_due:
            continue
        prepared = _prepared(text, filename, settings)
        shorter = tidied(before, prepared.source, prepared.judge.analysis)
        text, outcome = _unless_found(text, shorter, outcome, filename, settings)
    if settings.line_length is None:
        return text, outcome
    broken = laid_out(before, text, settings.line_length)
    return _unless_found(text, broken, outcome, filename, settings)


def _unless_found(
    text: str, tidied: str, outcome: Linted, filename: str, settings: Settings
) -> tuple[str, Linted]:
    """The tidied text, or the other one where its findings would differ."""
    if tidied == text:
        return text, outcome
    after = _analysed(tidied, filename, settings)
    if not isinstance(after, Linted):
        return text, outcome
    pairs = ((one.findings, one.suppressed) for one in (outcome, after))
    was, is_now = ([[one.code for one in _claims(some)] for some in pair] for pair in pairs)
    return (tidied, after) if was == is_now else (text, outcome)


def _allow_depth() -> None:
    """Chains of calls and branches nest as deep as they are long."""
    if sys.getrecursionlimit() < _RECURSION_DEEPEST:
        sys.setrecursionlimit(_RECURSION_DEEPEST)


@dataclass(frozen=True, slots=True)
class Prepared:
    """A file that was read and evaluated, and the rules that wait to be asked."""

    source: Source
    judge: Judge


def prepare(data: bytes, filename: str, settings: Settings) -> Prepared:
    """Read and evaluate one file, of one that is not Python 3 what can be read.

    Raises SourceError if that is nothing, UnsupportedError if it cannot be analysed.
    """
    _allow_depth()
    text = decode(data).text
    try:
        prepared = _prepared(text, filename, settings)
    except SourceError as error:
        from mllint_nan.syntax.mending import mend

        mended = mend(text, error)
        if mended is None:
            raise
        prepared = _prepared(mended.text, filename, settings)
    prepared.source.check()
    return prepared


def _prepared(text: str, filename: str, settings: Settings) -> Prepared:
    # LibCST takes as long to import as a long file to read.
    from mllint_nan.syntax.lower import lower_module
    from mllint_nan.syntax.remarks import Remarks
    from mllint_nan.syntax.source import Source

    source = Source(text)
    program, remarks = lower_module(source.module), Remarks(source)
    return Prepared(source, _judge(program, filename, settings, remarks.beside))


def _judge(
    program: ir.Block,
    filename: str,
    settings: Settings,
    remarks: Callable[[object], str] | None = None,
) -> Judge:
    interpreter = Interpreter(settings.project)
    interpreter.analysis.path = filename
    if settings.project is not None:
        interpreter.analysis.trained = settings.project.training
    interpreter.analysis.operations = own_signatures(settings.operations)
    interpreter.run_module(program)
    visit = partial(visit_callers, interpreter)
    return Judge(_rules(settings), interpreter.analysis, interpreter.build, remarks, visit)


@paused()
def _lint_text(
    text: str, filename: str, settings: Settings, *, is_likely_found: bool = False
) -> Linted:
    """With `is_likely_found` the places are read at once: a text without findings needs none."""
    selected = _selected(settings)
    suppressions = suppressions_of(text)
    watched = _watched(suppressions, selected, settings)
    needs_places = is_likely_found or bool(watched or suppressions.mistakes)
    outcome = None if needs_places else _without_findings(text, filename, selected, settings)
    if outcome is None:
        outcome = _with_places(text, filename, selected, suppressions, watched, settings)
    return _less_known(outcome, text, settings) if settings.known else outcome


def _without_findings(
    text: str, filename: str, selected: frozenset[str], settings: Settings
) -> Linted | None:
    """What becomes of a text in which nothing is found; `None` if something is, or may be."""
    found = _found(text, filename, settings)
    if found is None or found.audited or _counted(found.verdicts, selected, settings):
        return None
    failures = _failures(found.failures, selected)
    weaker = _weaker(found.verdicts, selected, settings)
    return Linted((), (), found.silenced, failures=failures, weaker=weaker)


class _Found(NamedTuple):
    """All that the rules find in a text, and what they override."""

    verdicts: list[Verdict]
    silenced: tuple[tuple[str, int], ...]
    failures: Mapping[str, Exception]
    audited: bool
    """Whether some operation is not proved safe, where that is asked for."""


def _found(text: str, filename: str, settings: Settings) -> _Found | None:
    """What takes no tree that knows the places of its nodes; `None` where one is needed."""
    tree = tree_of(text)
    if tree is None:
        return None
    if settings.project is not None:
        remember(text, tree)
    try:
        program = lower_ast.lower_module(tree)
        del tree  # the search for cycles would go through it
        judge = _judge(program, filename, settings)
        verdicts = judge.verdicts(_speaking(settings))
        audited = any(_audited(judge, settings))
        return _Found(verdicts, tuple(judge.silenced.items()), judge.failures, audited)
    except RecursionError:
        return None


def _audited(judge: Judge, settings: Settings) -> Iterator[Verdict]:
    """The operations that are not proved safe, if that is asked for."""
    if settings.min_confidence > Confidence.POSSIBLE:
        return
    selected = _selected(settings)
    for verdict in Audit(judge).verdicts(_speaking(settings)):
        if verdict.rule.code in selected:
            yield verdict


def _counted(
    verdicts: Iterable[Verdict], selected: frozenset[str], settings: Settings
) -> Counter[str]:
    """How many of the verdicts are to be reported, by code."""
    return Counter(
        one.rule.code
        for one in verdicts
        if one.confidence >= settings.min_confidence and one.rule.code in selected
    )


def _weaker(
    verdicts: Iterable[Verdict], selected: frozenset[str], settings: Settings
) -> tuple[tuple[Confidence, int], ...]:
    """How many of the verdicts are less sure than what is asked for."""
    return tuple(
        Counter(
            one.confidence
            for one in verdicts
            if one.confidence < settings.min_confidence and one.rule.code in selected
        ).items()
    )


def _with_places(
    text: str,
    filename: str,
    selected: frozenset[str],
    suppressions: Suppressions,
    watched: set[Directive],
    settings: Settings,
) -> Linted:
    from mllint_nan.fixing.completeness import Completer, Reported
    from mllint_nan.fixing.repair import Repairer

    prepared = _prepared(text, filename, settings)
    source, judge = prepared.source, prepared.judge
    repairer = Repairer(source, judge)
    unrepaired: dict[str, Exception] = {}
    reported: list[Reported] = []
    suppressed: list[Finding] = []
    used: list[Directive] = []

    def unsuppressed(verdict: Verdict, *, is_wanted: bool) -> Finding | None:
        """The finding, if it is to be reported; the comments that cover it are used in any case."""
        finding = finding_of(source, verdict)
        covering = suppressions.covering(
            finding.code, finding.name, finding.start.row, finding.end.row
        )
        used.extend(covering)
        if is_wanted and covering:
            suppressed.append(finding)
        return finding if is_wanted and not covering else None

    every, speaking = judge.verdicts(), judge.verdicts(_speaking(settings))
    for verdict in speaking:
        is_wanted = verdict.confidence >= settings.min_confidence
        if verdict.rule.code not in selected or not (is_wanted or watched):
            continue
        finding = unsuppressed(verdict, is_wanted=is_wanted)
        if finding is not None:
            finding = _mended(finding, verdict, repairer, settings, unrepaired)
            reported.append(Reported(verdict, _trusted(finding, settings)))
    completer = Completer(repairer, every)
    findings = completer.completed(reported)
    unrepaired.update(completer.failures)
    is_asked = settings.min_confidence is Confidence.POSSIBLE
    if is_asked or watched.difference(used):
        # A comment that silences what an audit reports is not idle.
        unverified = replace(settings, verifier=None)
        for verdict in Audit(judge).verdicts(_speaking(settings)):
            if verdict.rule.code not in selected:
                continue
            finding = unsuppressed(verdict, is_wanted=is_asked)
            if finding is not None:
                findings.append(_shown(_mended(finding, verdict, repairer, unverified, unrepaired)))
    idle = set() if judge.failures else watched.difference(used)
    remarks = unused(text, suppressions, idle, _rules(settings))
    findings += (_trusted(one, settings) for one in remarks)
    findings += _misspelt(text, suppressions, settings)
    return Linted(
        tuple(_addressed(sorted(findings, key=lambda one: one.sort_key), settings)),
        tuple(_addressed(sorted(suppressed, key=lambda one: one.sort_key), settings)),
        tuple(judge.silenced.items()),
        failures=(*_failures(judge.failures, selected), *_without_fixes(unrepaired)),
        weaker=_weaker(
            (one for one in speaking if not _is_suppressed(source, suppressions, one)),
            selected,
            settings,
        ),
    )


def _misspelt(text: str, suppressions: Suppressions, settings: Settings) -> Iterator[Finding]:
    """What is said of comments that silence nothing as they are written, if that is asked for."""
    if is_selected(UNUSED_SUPPRESSION, settings):
        yield from misspelt(text, suppressions)


def _failures(raised: Mapping[str, Exception], selected: frozenset[str]) -> tuple[RuleFailure, ...]:
    """What is said of the rules that failed, if they were asked for."""
    return tuple(
        RuleFailure.of(code, f"rule {code}", error, "the other rules are reported")
        for code, error in sorted(raised.items())
        if code in selected
    )


def _without_fixes(raised: Mapping[str, Exception]) -> Iterator[RuleFailure]:
    """What is said of the rules whose fixes failed."""
    for code, error in sorted(raised.items()):
        yield RuleFailure.of(code, f"the fix of {code}", error, "the finding has none")


def _watched(
    suppressions: Suppressions, selected: frozenset[str], settings: Settings
) -> set[Directive]:
    """The directives that are reported if they silence nothing."""
    if not suppressions.directives or not is_selected(UNUSED_SUPPRESSION, settings):
        return set()
    return set(judged(suppressions, load_rules(settings.rules), selected))


def _less_known(outcome: Linted, text: str, settings: Settings) -> Linted:
    """Without the findings that the baseline knows."""
    answers = known(fingerprints(text, outcome.findings), settings.known)
    judged = list(zip(outcome.findings, answers, strict=True))
    return replace(
        outcome,
        findings=tuple(finding for finding, is_known in judged if not is_known),
        known=tuple(finding for finding, is_known in judged if is_known),
        weaker=(),  # which of them the baseline knows is not known
        stale=len(settings.known) - sum(answers),
    )


class _Count(NamedTuple):
    """How often each code is reported, and which rules failed."""

    counted: Counter[str]
    failed: set[str]


def _count(text: str, filename: str, settings: Settings) -> _Count:
    """No fix is looked for, and no place if none is asked for."""
    if settings.known:
        outcome = _lint_text(text, filename, settings)
        counted = Counter(finding.code for finding in _claims(outcome.findings))
        return _Count(counted, _failed_in(outcome))
    with paused():
        suppressions = suppressions_of(text)
        selected = _selected(settings)
        found = None if suppressions.directives else _found(text, filename, settings)
        if found is not None:
            return _Count(_counted(found.verdicts, selected, settings), {*found.failures})
        prepared = _prepared(text, filename, settings)
        source, verdicts = prepared.source, prepared.judge.verdicts(_speaking(settings))
        reported = (one for one in verdicts if not _is_suppressed(source, suppressions, one))
        counted = _counted(reported, selected, settings)
        return _Count(counted, {*prepared.judge.failures})


def _is_suppressed(source: Source, suppressions: Suppressions, verdict: Verdict) -> bool:
    if not suppressions.directives:
        return False
    span = source.span(verdict.reported.site)
    first, last = source.lines.position(span.start).row, source.lines.position(span.end).row
    rule = verdict.rule
    return bool(suppressions.covering(rule.code, rule.name, first, last))


def select_rules(settings: Settings) -> tuple[Rule, ...]:
    """The rules that are selected and not ignored; the longer prefix wins."""
    known = load_rules(settings.rules, settings.epsilon)
    return tuple(rule for rule in known if is_selected(rule, settings))


def _selected(settings: Settings) -> frozenset[str]:
    """The codes of those."""
    return _codes(settings.select, settings.ignore, settings.rules, settings.epsilon)


@lru_cache
def _codes(
    select: tuple[str, ...],
    ignore: tuple[str, ...],
    rules: tuple[str, ...],
    epsilon: float | None,
) -> frozenset[str]:
    chosen = Settings(select, ignore, rules=rules, epsilon=epsilon)
    return frozenset(rule.code for rule in select_rules(chosen))


def _speaking(settings: Settings) -> frozenset[str]:
    """The codes of those that speak for others: who ignores a rule has judged its operations."""
    named = (*settings.select, *settings.ignore)
    return _codes(named, (), settings.rules, settings.epsilon)


def _rules(settings: Settings) -> tuple[Rule, ...]:
    """The rules that are asked: all but those that are off."""
    optional = _off_by_default(settings.rules)
    return _less_off(optional - _selected(settings), settings.rules, settings.epsilon)


@lru_cache
def _off_by_default(rules: tuple[str, ...]) -> frozenset[str]:
    return frozenset(rule.code for rule in load_rules(rules) if rule.off_by_default)


@lru_cache
def _less_off(
    off: frozenset[str], rules: tuple[str, ...], epsilon: float | None
) -> tuple[Rule, ...]:
    """One and the same tuple for all settings that leave the same rules off."""
    return tuple(rule for rule in load_rules(rules, epsilon) if rule.code not in off)


def is_selected(rule: Rule, settings: Settings) -> bool:
    """Whether a rule is selected and not ignored."""
    chosen = most_selective(settings.select, rule)
    return chosen >= 0 and chosen > strongest(settings.ignore, rule)


def finding_of(source: Source, verdict: Verdict) -> Finding:
    span = source.span(verdict.reported.site)
    return Finding(
        code=verdict.rule.code,
        name=verdict.rule.name,
        message=verdict.message,
        span=span,
        start=source.lines.position(span.start),
        end=source.lines.position(span.end),
        confidence=verdict.confidence,
        hazard=verdict.case.hazard,
        framework=verdict.framework,
        witness=verdict.case.witness,
        url=None,
        reason=verdict.reason if verdict.confidence is Confidence.POSSIBLE else None,
        audited=verdict.audited,
    )


def _mended(
    finding: Finding,
    verdict: Verdict,
    repairer: Repairer,
    settings: Settings,
    failures: dict[str, Exception],
) -> Finding:
    """The finding with its fix, if that can be written at all; `failures` says what cannot."""
    try:
        return _repaired(finding, verdict, repairer, settings)
    except (MemoryError, Unavailable):
        raise
    except Exception as error:
        failures[finding.code] = error
        return finding


def _repaired(
    finding: Finding, verdict: Verdict, repairer: Repairer, settings: Settings
) -> Finding:
    """The finding with its fix; one whose proof by execution was asked for and fails is shown."""
    chosen = repairer.chosen(verdict)
    if chosen is None:
        return finding
    fix = chosen.fix
    if settings.verifier is None or fix.applicability is Applicability.DISPLAY_ONLY:
        return replace(finding, fix=fix)
    proof = settings.verifier.proof(verdict, chosen, repairer.judge, repairer.source)
    if not settings.verifier.accepts(proof):
        fix = fix.only_shown("executing it has not proved it")
    return replace(finding, fix=fix, proof=proof)


def _shown(finding: Finding) -> Finding:
    """The finding with a fix that is never applied: nothing shows that there is a flaw."""
    if finding.fix is None:
        return finding
    return replace(finding, fix=finding.fix.only_shown("nothing shows a flaw"), proof=None)


def _trusted(finding: Finding, settings: Settings) -> Finding:
    """The finding with a fix as safe as the user says that fixes of its rule are."""
    fix = finding.fix
    if fix is None or fix.applicability is Applicability.DISPLAY_ONLY:
        return finding
    if finding.code in settings.unsafe_codes:
        applicability = Applicability.UNSAFE
    elif finding.code in settings.safe_codes:
        applicability = Applicability.SAFE
    else:
        return finding
    return replace(finding, fix=replace(fix, applicability=applicability))


def _addressed(findings: Iterable[Finding], settings: Settings) -> Iterator[Finding]:
    """The findings with the pages of their rules; rules of the user have none."""
    if not settings.handbook:
        yield from findings
        return
    pages = {rule.code for rule in (*load_rules(), *TOOL_RULES)}
    for finding in findings:
        url = f"{settings.handbook.rstrip('/')}/rules/{finding.name}/"
        yield replace(finding, url=url) if finding.code in pages else finding


def _unparsable(error: SourceError, settings: Settings) -> Unparsable:
    place = Position(error.row, error.column)
    finding = Finding(
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
    return Unparsable(next(_addressed((finding,), settings)))


# Silencing


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


# Fixing


def _identity(finding: Finding) -> tuple[str, str]:
    edits = "".join(edit.content for edit in finding.fix.edits) if finding.fix else ""
    return finding.code, edits


def _without(outcome: Linted, refused: set[tuple[str, str]], reason: str = _BREAKS) -> Linted:
    """The same with the refused fixes for display only."""
    return replace(
        outcome,
        findings=tuple(
            replace(finding, fix=finding.fix.only_shown(reason))
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
        is_more = len(before.findings) > len(chosen)
        after = _lint_text(fixed, filename, settings, is_likely_found=is_more)
    except (SourceError, UnsupportedError, RecursionError):
        return None
    counted = Counter(finding.code for finding in _claims(after.findings))
    if _exceeds(counted, before, chosen, settings) or not _failed_in(after) <= _failed_in(before):
        return None
    return fixed, after


def _claims(findings: Iterable[Finding]) -> list[Finding]:
    """Those that rules stand for; what an audit adds takes no part in the making of fixes."""
    return [finding for finding in findings if not finding.audited]


def _failed_in(outcome: Linted) -> set[str]:
    """The rules that failed: of what they would find nothing is known."""
    return {failure.code for failure in outcome.failures}


def _exceeds(
    counted: Counter[str], before: Linted, chosen: list[Finding], settings: Settings
) -> bool:
    """Whether a code is reported more often than what was there, less what was fixed, allows."""
    allowed = Counter(finding.code for finding in _claims(before.findings))
    allowed.update(dict(before.silenced))
    allowed.subtract(finding.code for finding in chosen)
    repaired = {finding.code for finding in chosen}
    for rule in _rules(settings):
        if rule.code in repaired:
            allowed.update(rule.uncovers)
    del counted[UNUSED_SUPPRESSION.code]  # what a fix leaves nothing to do for goes next
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
    after = _after(text, chosen, filename, settings)
    return after is not None and not _harms(after, before, chosen, settings)


def _after(text: str, chosen: list[Finding], filename: str, settings: Settings) -> _Count | None:
    """What is found after the fixes, if the text can be analysed then."""
    try:
        return _count(splice(text, chosen), filename, settings)
    except (SourceError, UnsupportedError, RecursionError):
        return None


def _harms(after: _Count, before: Linted, chosen: list[Finding], settings: Settings) -> bool:
    news = after.failed & _selected(settings) - _failed_in(before)
    return bool(news) or _exceeds(after.counted, before, chosen, settings)


def _brings(counted: Counter[str], before: Linted, chosen: list[Finding]) -> bool:
    """Whether something is found after the fixes that others spoke for, or concealed."""
    left = Counter(finding.code for finding in _claims(before.findings))
    left.subtract(finding.code for finding in chosen)
    return any(counted[code] > left[code] for code in counted)


def _whole(
    text: str, outcome: Linted, chosen: list[Finding], filename: str, settings: Settings
) -> Linted:
    """Every fix with those of what comes up once it is made, as long as they are as safe.

    A variance that is written out conceals that its root has no gradient at 0; what a loss was
    made of is read by nothing any more. Half of a repair is none, and is not shown as one.
    """
    wholes: dict[int, Finding] = {}
    for finding in chosen[:_TRIALS_MOST]:
        wholes[id(finding)] = _with_its_followers(text, finding, outcome, filename, settings)
    return replace(
        outcome,
        findings=tuple(wholes.get(id(finding), finding) for finding in outcome.findings),
    )


def _with_its_followers(
    text: str, finding: Finding, outcome: Linted, filename: str, settings: Settings
) -> Finding:
    assert finding.fix is not None
    least = finding.fix.applicability
    surest = min(finding.confidence, Confidence.LIKELY)  # the fix is the same for whoever asks
    promises = Promises.of(_claims(outcome.findings)).after([finding])
    steps = [finding.fix.edits]
    step = _apply(text, [finding], outcome, filename, settings)
    while step is not None and len(steps) <= _STEPS_MOST:
        now, after = step
        news = [one for one in promises.news(_claims(after.findings)) if one.confidence >= surest]
        followers = choose(news, least)
        step = _apply(now, followers, after, filename, settings) if followers else None
        if step is not None:
            steps.append(tuple(edit for one in followers if one.fix for edit in one.fix.edits))
            promises = promises.after(followers)
    if len(steps) == 1:
        return finding
    return replace(finding, fix=joined(finding.fix, text, steps))


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
