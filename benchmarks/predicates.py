"""Measure which programs would be misjudged without each predicate of the rules.

    python benchmarks/predicates.py [--conditions] [--bless] [--processes N] [PATH...]

Every fixture and case is analysed once, or every Python file below each PATH. Then each question,
which is a predicate or one of its members, is switched off: evidence that it asks for is taken for
granted, and its excuses are ignored. Only files whose rules ask it are judged again, with all other
answers cached. A row is a question, the rules that ask it, how many findings change without it, and
the first of these.
With `--conditions` a row is one condition of one rule. `--bless` writes one program for each
question to `tests/rulebook/needed.toml`, the shortest of those that would be misjudged.
"""

from __future__ import annotations

import argparse
import itertools
import multiprocessing
import sys
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

from mllint_nan.domains.truth import Truth
from mllint_nan.findings import Confidence
from mllint_nan.fixing.repair import Repairer
from mllint_nan.ir.term import Term
from mllint_nan.linter import Prepared, prepare
from mllint_nan.rulebook.audit import Audit
from mllint_nan.rulebook.load import load_rules
from mllint_nan.rulebook.match import Substitution
from mllint_nan.rulebook.predicates import Context
from mllint_nan.rulebook.rule import Condition, Rule
from mllint_nan.rulebook.verdict import Verdict
from mllint_nan.settings import Settings

ROOT: Final = Path(__file__).resolve().parent.parent
_MATCHES_MOST: Final = 24
_NEEDED: Final = """\
# For each predicate, and each member of one that has members, a program that would be misjudged
# without it: the file, and the finding that would be another one.
# `python benchmarks/predicates.py --bless` writes this table, for review.

"""


class Use(NamedTuple):
    """A condition of one rule."""

    code: str
    key: str
    text: str

    @property
    def granted(self) -> Truth:
        """The answer that makes the condition have no effect."""
        is_excuse = self.key == "unless"
        return Truth.NO if is_excuse else Truth.YES


class Change(NamedTuple):
    """A finding that changes, or vanishes, without a predicate."""

    filename: str
    row: int
    what: str
    was: str
    becomes: str

    def __str__(self) -> str:
        place = f"{self.filename}:{self.row} {self.what}"
        return f"{place}: {self.was or 'nothing'} -> {self.becomes or 'nothing'}"

    @property
    def is_shown(self) -> bool:
        """Whether the change affects what is reported by default."""
        return any(said.startswith(("likely", "certain")) for said in (self.was, self.becomes))


def _uses_of(rules: Iterable[Rule]) -> dict[int, Use]:
    """By `id` of a condition: its rule, and whether it is evidence, an excuse or a licence."""
    found: dict[int, Use] = {}
    for rule in rules:
        for case in (*rule.cases, *rule.audits):
            for key in ("when", "unless"):
                for condition in getattr(case, key):
                    found[id(condition)] = Use(rule.code, key, condition.text)
        for repair in rule.fixes:
            for condition in repair.requires:
                found[id(condition)] = Use(rule.code, "requires", condition.text)
    return found


class Replayed:
    """The judgement of one file, in which all answers but those switched off are cached."""

    def __init__(self, prepared: Prepared) -> None:
        self._judge = prepared.judge
        self._source = prepared.source
        self._uses = _uses_of(prepared.judge.rules)
        self._known: dict[tuple[Any, ...], Truth] = {}
        self._matches: dict[tuple[int, int], list[Substitution]] = {}
        self._fixes: dict[tuple[int, int, int], str] = {}
        self._kept: list[Any] = []
        self._off: Callable[[Condition, Use], bool] = lambda condition, use: False
        self.asked: dict[tuple[str, Use], set[Truth]] = defaultdict(set)
        self._holds = self._judge.holds
        self._judge.holds = self._remembered  # type: ignore[method-assign]
        match = self._judge.matcher.match
        self._match = match
        self._judge.matcher.match = self._matched  # type: ignore[method-assign]
        self.findings = self._findings()

    def without(self, off: Callable[[Condition, Use], bool]) -> dict[tuple[int, str], str]:
        """Return the findings if the conditions for which `off` holds are switched off."""
        self._off = off
        try:
            return self._findings()
        finally:
            self._off = lambda condition, use: False

    def _matched(self, pattern: Term, term: Term) -> Iterator[Substitution]:
        key = (id(pattern), id(term))
        if key not in self._matches:
            self._kept += (pattern, term)
            found = itertools.islice(self._match(pattern, term), _MATCHES_MOST)
            self._matches[key] = list(found)
        return iter(self._matches[key])

    def _remembered(self, condition: Condition, context: Context) -> Truth:
        use = self._uses[id(condition)]
        if self._off(condition, use):
            return use.granted
        found = context.found
        bound = tuple((name, term and id(term)) for name, term in found.terms.items())
        key = (condition.text, id(context.occurrence), id(context.oracle), bound, id(found))
        if key not in self._known:
            self._kept.append((found, context.occurrence))
            self._known[key] = self._holds(condition, context)
        answer = self._known[key]
        self.asked[condition.question, use].add(answer)
        return answer

    def _findings(self) -> dict[tuple[int, str], str]:
        judge = self._judge
        judge._matched = None
        judge.failures.clear()
        repairer = Repairer(self._source, judge)
        found = {}
        for verdict in (*judge.verdicts(), *Audit(judge).verdicts()):
            span = self._source.span(verdict.reported.site)
            row = self._source.lines.position(span.start).row
            place = (row, f"{verdict.rule.code} audited" if verdict.audited else verdict.rule.code)
            found[place] = self._said(verdict, repairer)
        found.update({(0, code): f"fails: {error!r}" for code, error in judge.failures.items()})
        return found

    def _said(self, verdict: Verdict, repairer: Repairer) -> str:
        """Return the confidence and message of a finding, and its fix."""
        said = f"{verdict.confidence}: {verdict.message}"
        requires = [one for repair in verdict.rule.fixes for one in repair.requires]
        if any(self._off(one, self._uses[id(one)]) for one in requires):
            return f"{said}, {_fixed(verdict, repairer)}"
        key = (id(verdict.case), id(verdict.occurrence), id(verdict.found))
        if key not in self._fixes:
            self._kept.append(verdict)
            self._fixes[key] = _fixed(verdict, repairer)
        return f"{said}, {self._fixes[key]}"


def _fixed(verdict: Verdict, repairer: Repairer) -> str:
    """Return the fix of a finding, with its applicability."""
    chosen = repairer.chosen(verdict)
    if chosen is None:
        return "no fix"
    edits = " | ".join(edit.content for edit in chosen.fix.edits)
    return f"{chosen.fix.applicability} {edits}"


def changes(
    data: bytes, filename: str, settings: Settings, by_condition: bool
) -> Iterator[tuple[tuple[str, ...], list[Change]]]:
    """Yield each question that the rules ask about a file, and what changes without it."""
    prepared = prepare(data, filename, settings)
    replayed = Replayed(prepared)
    switches: dict[tuple[str, ...], bool] = {}
    for (question, use), answers in replayed.asked.items():
        switch = (question, use.code, use.key, use.text) if by_condition else (question,)
        switches[switch] = switches.get(switch, False) or answers != {use.granted}
    for switch, matters in sorted(switches.items()):
        yield switch, list(_difference(replayed, switch, filename)) if matters else []


def _difference(replayed: Replayed, switch: tuple[str, ...], filename: str) -> Iterator[Change]:
    def off(condition: Condition, use: Use) -> bool:
        return (condition.question, *use)[: len(switch)] == switch

    before, after = replayed.findings, replayed.without(off)
    for place in sorted(before.keys() | after.keys()):
        was, becomes = before.get(place, ""), after.get(place, "")
        if was != becomes:
            row, what = place
            yield Change(filename, row, what, was, becomes)


def settings_of(path: Path) -> Settings:
    """Return settings with every confidence, and with the rule of a fixture's folder."""
    is_fixture = ROOT / "fixtures" in path.parents
    select = ("NAN", path.parent.name) if is_fixture else ("NAN",)
    return Settings(select, min_confidence=Confidence.POSSIBLE)


def _files(paths: list[Path]) -> list[tuple[bytes, str, Settings]]:
    if paths:
        found = sorted(one for path in paths for one in path.rglob("*.py"))
        return [(one.read_bytes(), str(one), settings_of(one)) for one in found]
    fixtures = sorted((ROOT / "fixtures").glob("*/*.py"))
    found = [one for one in fixtures if not one.name.endswith(".fixed.py")]
    found += sorted((ROOT / "cases").glob("*/*.py"))
    return [(one.read_bytes(), str(one.relative_to(ROOT)), settings_of(one)) for one in found]


def _changes_of(
    given: tuple[tuple[bytes, str, Settings], bool],
) -> list[tuple[tuple[str, ...], list[Change]]]:
    (data, filename, settings), by_condition = given
    try:
        return list(changes(data, filename, settings, by_condition))
    except Exception as error:
        print(f"{filename}: {error!r}", file=sys.stderr)
        return []


def _asked_by() -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for rule in load_rules():
        for case in (*rule.cases, *rule.audits):
            for condition in (*case.when, *case.unless):
                found[condition.question].add(rule.code)
        for repair in rule.fixes:
            for condition in repair.requires:
                found[condition.question].add(rule.code)
    return found


def _bless(found: dict[tuple[str, ...], list[Change]]) -> None:
    """Write for each question the shortest program that is misjudged without it."""
    lengths = {filename: len(data) for data, filename, _ in _files([])}
    lines = [_NEEDED]
    for (name,), some in sorted(found.items()):
        if some:
            shortest = min(some, key=lambda one: (not one.is_shown, lengths[one.filename]))
            key = f'"{name}"' if "(" in name else name
            lines.append(f'{key} = "{shortest.filename} {shortest.what}"\n')
    (ROOT / "tests" / "rulebook" / "needed.toml").write_text("".join(lines), encoding="utf-8")


def main(arguments: Iterable[str]) -> None:
    parser = argparse.ArgumentParser(description="Which programs need each predicate.")
    parser.add_argument("--conditions", action="store_true", help="a row for each condition")
    parser.add_argument("--bless", action="store_true", help="write tests/rulebook/needed.toml")
    parser.add_argument("--processes", type=int, default=1)
    parser.add_argument("paths", nargs="*", type=Path)
    options = parser.parse_args(list(arguments))
    found: dict[tuple[str, ...], list[Change]] = {}
    given = [(file, options.conditions) for file in _files(options.paths)]
    with multiprocessing.Pool(options.processes) as pool:
        for of_file in pool.imap(_changes_of, given, chunksize=4):
            for switch, some in of_file:
                found.setdefault(switch, []).extend(some)
    asked = _asked_by()
    if not options.conditions:
        found = {(name,): found.get((name,), []) for name in asked}
    if options.bless:
        _bless(found)
    for switch, some in sorted(found.items(), key=lambda item: (len(item[1]), item[0])):
        rules = "" if options.conditions else " ".join(sorted(asked[switch[0]]))
        shown = (" ".join(str(one).split()) for one in some[:3])
        print("\t".join((*switch, rules, str(len(some)), *shown)))


if __name__ == "__main__":
    main(sys.argv[1:])
