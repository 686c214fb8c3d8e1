"""Each question is needed: the program that `needed.toml` names is misjudged without it.

A question is a predicate, or one of its members. What it demands is taken for granted, and what it
excuses is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Final

import pytest
import tomli

from benchmarks.predicates import settings_of
from mllint_nan.domains.truth import Truth
from mllint_nan.fixing.repair import Repairer
from mllint_nan.linter import Prepared, prepare
from mllint_nan.rulebook.audit import Audit
from mllint_nan.rulebook.judge import Judge
from mllint_nan.rulebook.load import load_rules
from mllint_nan.rulebook.predicates import PREDICATES
from mllint_nan.rulebook.predicates.context import Context, Predicate
from mllint_nan.rulebook.rule import Case, Condition, Rule
from mllint_nan.rulebook.verdict import Verdict
from tests.fixture_files import ROOT

NEEDED: Final[dict[str, str]] = tomli.loads(
    (ROOT / "tests" / "rulebook" / "needed.toml").read_text(encoding="utf-8")
)
QUESTIONS: Final = sorted(
    {
        condition.question
        for rule in load_rules()
        for conditions in (
            *(case.when for case in rule.cases),
            *(case.unless for case in (*rule.cases, *rule.audits)),
            *(fix.requires for fix in rule.fixes),
        )
        for condition in conditions
    }
)
GRANTED: Final = Condition("is_granted", (), "is_granted()")


def test_a_program_is_named_for_every_question() -> None:
    assert sorted(NEEDED) == QUESTIONS


@pytest.mark.parametrize("question", QUESTIONS)
def test_a_program_is_misjudged_without_the_question(
    question: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    filename, _, what = NEEDED[question].partition(" ")
    prepared = _prepared(filename)
    rules = tuple(_without(rule, question) for rule in prepared.judge.rules)
    monkeypatch.setitem(PREDICATES, "is_granted", Predicate(_granted, 0))
    assert _said(prepared, rules, what) != _said(prepared, prepared.judge.rules, what)


def _granted(context: Context) -> Truth:
    return Truth.YES


def _without(rule: Rule, question: str) -> Rule:
    """The rule as it would be if it did not ask the question, no surer of what it demands."""

    def granted(conditions: tuple[Condition, ...]) -> tuple[Condition, ...]:
        return tuple(GRANTED if one.question == question else one for one in conditions)

    def open_to_it(case: Case) -> Case:
        unless = tuple(one for one in case.unless if one.question != question)
        return replace(case, when=granted(case.when), unless=unless)

    return replace(
        rule,
        cases=tuple(map(open_to_it, rule.cases)),
        audits=tuple(map(open_to_it, rule.audits)),
        fixes=tuple(replace(fix, requires=granted(fix.requires)) for fix in rule.fixes),
    )


@cache
def _prepared(filename: str) -> Prepared:
    path = ROOT / filename
    prepared = prepare(path.read_bytes(), filename, settings_of(path))
    prepared.judge.verdicts()  # the calls in sight are evaluated by then
    return prepared


def _said(prepared: Prepared, rules: Sequence[Rule], what: str) -> list[str]:
    """What one rule says, wherever in the file."""
    known = prepared.judge
    judge = Judge(rules, known.analysis, known._builder)
    repairer = Repairer(prepared.source, judge)
    found = (*judge.verdicts(), *Audit(judge).verdicts())
    return sorted(_finding(one, repairer) for one in found if _name(one) == what)


def _name(verdict: Verdict) -> str:
    return f"{verdict.rule.code} audited" if verdict.audited else verdict.rule.code


def _finding(verdict: Verdict, repairer: Repairer) -> str:
    """How sure a finding is, what it says, and what its fix is worth."""
    chosen = repairer.chosen(verdict)
    fix = None if chosen is None else (chosen.fix.applicability, chosen.fix.edits)
    return f"{verdict.confidence} {verdict.message} {fix}"
