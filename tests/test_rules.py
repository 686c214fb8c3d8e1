"""What holds for every rule file, whatever it is about."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import cache
from typing import Any

import pytest
import tomli

from mllint_nan.findings import Applicability, Confidence, Hazard
from mllint_nan.frameworks.registry import FRAMEWORKS
from mllint_nan.ir.term import VARIABLE, Term
from mllint_nan.linter import Linted, Settings, fix_bytes, lint_bytes
from mllint_nan.rulebook import load
from mllint_nan.rulebook.conditions import condition_patterns
from mllint_nan.rulebook.load import load_rules, rules_directory
from mllint_nan.rulebook.pattern import EITHER, NAMED, REST, Pattern
from mllint_nan.rulebook.predicates import PREDICATES
from mllint_nan.rulebook.predicates.members import Member
from mllint_nan.rulebook.rule import Condition, Repair, Rule, Variable
from tests.fixture_files import stated
from tests.of_each import of_each
from tests.on_demand import module

jsonschema = module("jsonschema")

HUNDREDS = {
    "accuracy": 1,
    "compositions": 1,
    "singularities": 2,
    "divisions": 3,
    "masks": 4,
    "precision": 5,
    "limits": 5,
    "losses": 6,
    "training": 7,
}
RULES = load_rules()
SCHEMA_PATH = rules_directory() / "rule.schema.json"
SCHEMA: dict[str, Any] = json.loads(SCHEMA_PATH.read_text("utf-8"))

each_rule = of_each(RULES, lambda rule: rule.name)


def test_codes_and_names_are_unique() -> None:
    counts = Counter(identity for rule in RULES for identity in (rule.code, rule.name))
    assert not [identity for identity, count in counts.items() if count > 1]


@each_rule
def test_name_is_kebab_case(rule: Rule) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", rule.name)


@each_rule
def test_hundred_of_the_code_is_the_family(rule: Rule) -> None:
    hundred = HUNDREDS[rule.family]
    assert int(rule.code[3]) == hundred, f"codes of {rule.family} begin with NAN{hundred}"


@each_rule
def test_overridden_codes_exist(rule: Rule) -> None:
    assert {*rule.overrides, *rule.uncovers} <= {other.code for other in RULES} - {rule.code}


@each_rule
def test_no_two_rules_override_each_other(rule: Rule) -> None:
    assert not [
        other.code
        for other in RULES
        if rule.code in other.overrides and other.code in rule.overrides
    ]


@each_rule
def test_messages_state_the_failure(rule: Rule) -> None:
    messages = [rule.summary, *(case.message for case in rule.cases)]
    messages += [fix.message for fix in rule.fixes if fix.message]
    assert not [message for message in messages if "consider" in message.lower()]
    assert not [message for message in messages if "\n" in message or message.endswith(".")]


# Documentation


@each_rule
def test_example_is_found(rule: Rule) -> None:
    assert rule.code in _codes(rule.docs.example, rule)


@of_each([rule for rule in RULES if rule.fixes], lambda rule: rule.name)
def test_example_is_fixed_to_exactly_what_is_shown_instead(rule: Rule) -> None:
    fixed = fix_bytes(rule.docs.example.encode(), "example.py", _settings(rule))
    assert fixed.data.decode() == rule.docs.instead


@each_rule
def test_what_is_shown_instead_is_quiet(rule: Rule) -> None:
    assert _codes(rule.docs.instead, rule) == []


# Variables


@each_rule
def test_evidence_is_asked_of_what_every_pattern_binds(rule: Rule) -> None:
    for case in rule.cases:
        asked = _variables(case.when) | ({case.report} - {None})
        bound = _common(_bound(pattern.term) for pattern in case.patterns)
        assert asked <= bound | {"result"}, [pattern.text for pattern in case.patterns]


@each_rule
def test_exculpation_is_asked_of_what_some_pattern_binds(rule: Rule) -> None:
    for case in rule.cases:
        bound = {name for pattern in case.patterns for name in pattern.variables()}
        assert _variables(case.unless) <= bound | {"result"}


@each_rule
def test_fixes_use_only_what_their_match_binds(rule: Rule) -> None:
    for fix in rule.fixes:
        used = fix.rewrite.variables() | _variables(fix.requires) | ({fix.replace} - {None})
        unbound = used - _bound_in_fix(rule, fix) - {"result"} - rule.parameters.keys()
        assert not unbound, fix.rewrite.text


@each_rule
def test_parameters_are_used(rule: Rule) -> None:
    used = {name for fix in rule.fixes for name in fix.rewrite.variables()}
    assert rule.parameters.keys() <= used


@each_rule
def test_fixes_are_for_frameworks_of_the_rule(rule: Rule) -> None:
    for fix in rule.fixes:
        assert set(fix.frameworks) <= set(rule.frameworks), fix.rewrite.text


def test_every_predicate_and_member_is_asked_by_some_rule() -> None:
    asked = [
        condition
        for rule in RULES
        for conditions in (
            *(case.when for case in rule.cases),
            *(case.unless for case in (*rule.cases, *rule.audits)),
            *(fix.requires for fix in rule.fixes),
        )
        for condition in conditions
    ]
    assert sorted(PREDICATES.keys() - {one.predicate for one in asked}) == []
    words = {(PREDICATES[one.predicate].of, one.member) for one in asked}
    members = {(kind, member.value) for kind in Member.__subclasses__() for member in kind}
    assert members - words == set()


def test_every_member_is_told_by_some_function() -> None:
    for kind in Member.__subclasses__():
        assert PREDICATES[kind.asked_by()].members.keys() == {member.value for member in kind}


# Schema


@cache
def validator() -> Any:
    return jsonschema.Draft202012Validator(SCHEMA)


@each_rule
def test_file_is_valid_by_the_schema_and_names_it(rule: Rule) -> None:
    with open(rule.path, encoding="utf-8") as file:
        text = file.read()
    assert text.startswith("#:schema ../rule.schema.json\n")
    validator().validate(tomli.loads(text))


def test_schema_is_a_schema() -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)


@pytest.mark.parametrize(
    ("table", "keys"),
    [
        (SCHEMA, load._RULE_KEYS),
        (SCHEMA["$defs"]["case"], load._CASE_KEYS),
        (SCHEMA["$defs"]["fix"], load._FIX_KEYS),
        (SCHEMA["$defs"]["witness"], load._WITNESS_KEYS),
        (SCHEMA["$defs"]["docs"], load._DOCS_KEYS),
    ],
    ids=["rule", "case", "fix", "witness", "docs"],
)
def test_schema_knows_the_keys_of_the_loader(table: Any, keys: tuple[str, ...]) -> None:
    assert table["properties"].keys() == set(keys)
    assert table["additionalProperties"] is False


@pytest.mark.parametrize(
    ("name", "values"),
    [
        ("framework", FRAMEWORKS),
        ("hazard", tuple(map(str, Hazard))),
        ("confidence", tuple(map(str, Confidence))),
        ("applicability", tuple(map(str, Applicability))),
    ],
)
def test_schema_knows_the_words_of_the_loader(name: str, values: tuple[str, ...]) -> None:
    assert set(SCHEMA["$defs"][name]["enum"]) == set(values)


def test_schema_knows_the_predicates_and_their_members(is_blessing: bool) -> None:
    expected = [{"pattern": pattern} for pattern in condition_patterns()]
    if is_blessing:
        text = SCHEMA_PATH.read_text(encoding="utf-8")
        rows = ",\n".join(f"        {json.dumps(row)}" for row in expected)
        now = re.sub(r'(?s)("anyOf": \[\n)(        \{ ?"pattern".*?)(\n      \])',
                     lambda found: found[1] + rows + found[3], text)  # fmt: skip
        SCHEMA_PATH.write_text(now, encoding="utf-8")
    schema = json.loads(SCHEMA_PATH.read_text(encoding="utf-8"))
    assert schema["$defs"]["condition"]["anyOf"] == expected


def _settings(rule: Rule) -> Settings:
    """All that is on by default, and the rule itself; the weakest claim is `likely`, or what the
    rule claims at most."""
    claim = max(case.at_most for case in rule.cases)
    return Settings(
        ("NAN", rule.name), min_confidence=min(claim, Confidence.LIKELY), unsafe_fixes=True
    )


def _codes(text: str, rule: Rule) -> list[str]:
    outcome = lint_bytes(text.encode(), "example.py", _settings(rule))
    assert isinstance(outcome, Linted), outcome
    return [finding.code for finding in stated(outcome.findings)]


def _variables(conditions: Iterable[Condition]) -> set[str]:
    return {
        argument.name
        for condition in conditions
        for argument in condition.arguments
        if isinstance(argument, Variable)
    }


def _bound_in_fix(rule: Rule, fix: Repair) -> frozenset[str]:
    if fix.match is not None:
        return _bound(fix.match.term)
    frameworks = fix.frameworks or FRAMEWORKS
    return _common(
        _bound(pattern.term)
        for case in rule.cases
        if not set(frameworks).isdisjoint(case.frameworks)
        for pattern in case.patterns
    )


def _bound(term: Term) -> frozenset[str]:
    """The names that every match of a pattern binds; of `p | q`, those that both do."""
    if term.operation is EITHER:
        return _common(map(_bound, term.operands))
    return frozenset(_own_names(term)).union(*map(_bound, term.children()))


def _own_names(term: Term) -> Iterator[str]:
    binds = term.operation in (VARIABLE, NAMED, REST) or term.operation.kind not in (
        "pattern", "leaf"
    )  # fmt: skip
    if binds and term.detail not in (None, "_"):
        yield str(term.detail)


def _common(sets: Iterable[frozenset[str]]) -> frozenset[str]:
    first, *others = sets
    return first.intersection(*others)


def test_alternatives_bind_what_both_sides_bind() -> None:
    pattern = Pattern.parse("(log(x) | log1p(-(v := x))) + softmax(y, axis=a, **k)")
    assert _bound(pattern.term) == {"x", "y", "a", "k"}
