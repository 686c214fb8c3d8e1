"""Suppressions that silence nothing, and the edits that remove them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from itertools import groupby
from typing import Final

from mllint_nan.findings import (
    Applicability,
    Confidence,
    Edit,
    Finding,
    Fix,
    Span,
)
from mllint_nan.rulebook.rule import Rule
from mllint_nan.rulebook.selection import nearest
from mllint_nan.rulebook.tool import TOOL_RULES, UNUSED_SUPPRESSION
from mllint_nan.syntax.lines import Lines
from mllint_nan.syntax.suppressions import Directive, Form, Suppressions, codes_of, split_rules

_OURS = (Form.IGNORE, Form.DISABLE)
_FORMS: Final = (
    "write `# mllint-nan: ignore[CODE]`, `disable[CODE]`, `enable[CODE]`, or `skip-file`"
)


def judged(
    suppressions: Suppressions, rules: Sequence[Rule], selected: frozenset[str]
) -> tuple[Directive, ...]:
    """Return the directives for which it can be decided whether they silence anything.

    A rule that is not selected finds nothing, so it is unknown what its suppressions silence. A
    rule that is off by default matters only if a comment names no other. A bare `noqa` may be
    meant for another tool.
    """
    off = {rule.code for rule in rules if rule.off_by_default}.difference(selected)
    every = off.union(selected).issuperset(rule.code for rule in rules)
    return tuple(
        directive
        for directive in suppressions.directives
        if _is_judged(directive, rules, selected, off, every)
    )


def unused(
    text: str,
    suppressions: Suppressions,
    idle: Iterable[Directive],
    rules: Sequence[Rule],
    misplaced: Mapping[Directive, Finding],
) -> Iterator[Finding]:
    """Yield one finding for each comment that is idle or has an idle part.

    A comment inside the finding that it is meant for (`misplaced`) is not removed.
    """
    lines = Lines(text)
    known = set(idle)
    for place, group in groupby(suppressions.directives, lambda directive: directive.place):
        directives = list(group)
        parts = [directive for directive in directives if directive in known]
        found = next((misplaced[one] for one in parts if one in misplaced), None)
        if found is not None:
            first, last = found.start.row, found.end.row
            where = f"move the comment to the end of line {first} or {last}"
            message = (
                f"nothing is silenced here: {found.code} spans lines {first} to {last}; {where}"
            )
            yield _about(place, lines, message)
        elif parts:
            yield _finding(text, lines, place, directives, parts, _hint(parts, rules))


def misspelt(text: str, suppressions: Suppressions) -> Iterator[Finding]:
    """Yield one finding for each comment that looks like a directive but is none."""
    lines = Lines(text)
    for one in suppressions.mistakes:
        right = f"write `{one.meant}`" if one.meant else _FORMS
        message = f"`{one.said}` is not a directive and silences nothing; {right}"
        yield _about(one.place, lines, message)


def _is_judged(
    directive: Directive,
    rules: Sequence[Rule],
    selected: frozenset[str],
    off: AbstractSet[str],
    every: bool,
) -> bool:
    if directive.form is Form.SKIP_FILE:
        return False
    if directive.rule is None:
        return directive.form in _OURS and every
    if directive.form not in _OURS and not directive.rule.upper().startswith("NAN"):
        return False
    named = {rule.code for rule in rules if directive.names(rule.code, rule.name)}
    if not named and any(directive.names(rule.code, rule.name) for rule in TOOL_RULES):
        return False
    return (not named or not named <= off) and named - off <= selected


def _finding(
    text: str,
    lines: Lines,
    place: Span,
    directives: Sequence[Directive],
    idle: Sequence[Directive],
    hint: str,
) -> Finding:
    words = ", ".join(directive.rule or "every rule" for directive in idle)
    fix = Fix(
        "Remove the suppression",
        Applicability.SAFE,
        tuple(
            Edit(span, content, lines.position(span.start), lines.position(span.end))
            for span, content in _edits(text, directives, idle)
        ),
    )
    return _about(place, lines, f"nothing is silenced here: {words}{hint}", fix)


def _about(place: Span, lines: Lines, message: str, fix: Fix | None = None) -> Finding:
    return Finding(
        code=UNUSED_SUPPRESSION.code,
        name=UNUSED_SUPPRESSION.name,
        message=message,
        span=place,
        start=lines.position(place.start),
        end=lines.position(place.end),
        confidence=Confidence.CERTAIN,
        hazard=None,
        framework=None,
        witness=None,
        url=None,
        fix=fix,
    )


def _hint(idle: Iterable[Directive], rules: Sequence[Rule]) -> str:
    """A hint at the rule that was meant by a word that names none."""
    for directive in idle:
        if directive.rule is None or any(directive.names(one.code, one.name) for one in rules):
            continue
        meant = nearest(directive.rule, (word for one in rules for word in (one.code, one.name)))
        hint = f"; did you mean {meant}?" if meant else ""
        return f" (no rule is called {directive.rule}{hint})"
    return ""


def _edits(
    text: str, directives: Sequence[Directive], idle: Sequence[Directive]
) -> Iterator[tuple[Span, str]]:
    first = directives[0]
    if len(idle) < len(directives) and first.listed is not None:
        listed = text[first.listed.start : first.listed.end]
        unwanted = {(directive.rule or "").lower() for directive in idle}
        words = codes_of(listed) if first.form not in _OURS else split_rules(listed)
        kept = [word for word in words if word.lower() not in unwanted]
        yield first.listed, ", ".join(kept)
        return
    yield _whole(text, Span(first.place.start, first.end)), ""
    closing = first.enabled_at
    if closing is not None and all(directive.enabled_at == closing for directive in directives):
        yield _whole(text, closing), ""


def _whole(text: str, span: Span) -> Span:
    """A comment with the blanks before it, or with its whole row if the row has nothing else."""
    start, end = span.start, span.end
    row = max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1
    before = text[row:start]
    follows = text[end : end + 2]
    ends_row = follows[:1] in ("\r", "\n", "")
    if not before.strip() and ends_row:
        return Span(row, end + (2 if follows == "\r\n" else len(follows[:1])))
    return Span(row + len(before.rstrip()), end) if ends_row else span
