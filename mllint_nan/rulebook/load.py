"""Reads rule files strictly, so that a misspelt key stops the run and names its place."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

import tomli

from mllint_nan.findings import Applicability, Confidence, Hazard
from mllint_nan.frameworks.registry import FRAMEWORKS, functions
from mllint_nan.rulebook.conditions import ConditionError, hint_of, read_condition
from mllint_nan.rulebook.formats import NEXT_TO_ONE, NEXT_TO_ZERO
from mllint_nan.rulebook.pattern import Pattern, PatternError
from mllint_nan.rulebook.predicates import asked_by
from mllint_nan.rulebook.rule import (
    Case,
    Condition,
    Docs,
    Layers,
    Repair,
    Rule,
    Tolerance,
    Witness,
)

_CASE_KEYS: Final = (
    "match",
    "frameworks",
    "when",
    "unless",
    "hazard",
    "at_most",
    "message",
    "witness",
    "report",
    "unproved",
)
_AUDIT_KEYS: Final = ("match", "frameworks", "unless", "hazard", "message", "witness", "report")
_RULE_KEYS: Final = (
    "code",
    "name",
    "summary",
    "overrides",
    "uncovers",
    "parameters",
    "case",
    "audit",
    "fix",
    "docs",
    "off_by_default",
    *_CASE_KEYS,
)
_FIX_KEYS: Final = (
    "match",
    "replace",
    "rewrite",
    "applicability",
    "frameworks",
    "requires",
    "message",
    "tolerance",
    "layers",
    "reason",
)
_TOLERANCE_KEYS: Final = ("eps", "shift", "below", "above")
_LAYERS_KEYS: Final = ("last", "loss", "becomes")
_WITNESS_KEYS: Final = ("text", "given", "only", "match")
_DOCS_KEYS: Final = ("why", "example", "instead", "fix_safety", "references")


class RuleError(Exception):
    """A rule file is not valid; the message is `file: key: what is wrong`."""


def rules_directory() -> Path:
    """The rules of this installation: inside a wheel's package, beside it in a checkout."""
    package = Path(__file__).resolve().parent.parent
    return next(home for home in (package / "rules", package.parent / "rules") if home.is_dir())


def load_rules(directories: tuple[str, ...] = (), epsilon: float | None = None) -> tuple[Rule, ...]:
    """All rules of this installation and of `directories`, by code; raises `RuleError`.

    `epsilon` replaces what the rules' fixes add to an operand or raise it to.
    """
    return _rules(directories, epsilon)


@cache
def _rules(directories: tuple[str, ...], epsilon: float | None) -> tuple[Rule, ...]:
    if epsilon is not None:
        return tuple(_with_epsilon(rule, epsilon) for rule in _rules(directories, None))
    if directories:
        own = (rule for directory in directories for rule in read_rules(Path(directory)))
        return _ordered((*_rules((), None), *own))
    return read_rules(rules_directory())


def _with_epsilon(rule: Rule, epsilon: float) -> Rule:
    """The rule with another epsilon; the margin to 1 only grows, so that float32 keeps it."""
    parameters = dict(rule.parameters)
    for name, value in parameters.items():
        if name in NEXT_TO_ZERO:
            parameters[name] = epsilon
        elif name == NEXT_TO_ONE:
            parameters[name] = max(value, epsilon)
    return replace(rule, parameters=parameters)


def read_rules(directory: Path) -> tuple[Rule, ...]:
    """Every `<name>.toml` below `directory`, by code; raises `RuleError`."""
    return _ordered(read_rule(path) for path in sorted(directory.rglob("*.toml")))


def _ordered(rules: Iterable[Rule]) -> tuple[Rule, ...]:
    rules = tuple(rules)
    seen: dict[str, Rule] = {}
    for rule in rules:
        for identity in (rule.code, rule.name):
            if identity in seen:
                raise RuleError(f"{rule.path}: {identity} is taken by {seen[identity].path}")
            seen[identity] = rule
    return tuple(sorted(rules, key=lambda rule: rule.code))


def read_rule(path: Path) -> Rule:
    """Read one rule file; raises `RuleError`."""
    try:
        table = tomli.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomli.TOMLDecodeError) as error:
        raise RuleError(f"{path}: {error}") from None
    rule = parse_rule(table, str(path), path.parent.name)
    if rule.name != path.stem:
        raise RuleError(f"{path}: name: {rule.name!r} is not the file's stem {path.stem!r}")
    return rule


def parse_rule(table: Mapping[str, Any], path: str, family: str) -> Rule:
    """The rule that a TOML table describes; raises `RuleError`."""
    reader = _Table(table, path, "", _RULE_KEYS)
    code = _code(reader)
    witnesses = _witnesses(reader)
    shown = next((each.text for each in witnesses if not each.match), "")
    if not shown:
        raise reader.error("witness", "one without `match` is required, for all other matches")
    cases = _cases(reader, shown)
    overrides = _overrides(reader, code)
    is_off = _is_off_by_default(reader, cases)
    docs = _docs(reader)
    return Rule(
        code=code,
        name=reader.text("name"),
        family=family,
        summary=reader.text("summary"),
        cases=cases,
        audits=tuple(_audit(each, reader, shown) for each in reader.entries("audit", _AUDIT_KEYS)),
        fixes=tuple(_repair(each) for each in reader.entries("fix", _FIX_KEYS)),
        witnesses=witnesses,
        overrides=overrides,
        uncovers=reader.texts("uncovers"),
        parameters=_parameters(reader),
        docs=docs,
        path=path,
        off_by_default=is_off,
    )


def _code(reader: _Table) -> str:
    code = reader.text("code")
    if len(code) != 6 or not code.startswith("NAN") or not code[3:].isdigit():
        raise reader.error("code", "must be NAN and three digits")
    return code


def _witnesses(reader: _Table) -> tuple[Witness, ...]:
    witnesses = tuple(_witness(each) for each in reader.entries("witness", _WITNESS_KEYS))
    if not witnesses:
        raise reader.error("witness", "is required")
    return witnesses


def _overrides(reader: _Table, code: str) -> tuple[str, ...]:
    overridden = reader.texts("overrides")
    if code in overridden:
        raise reader.error("overrides", "names the rule itself, which would never be reported")
    return overridden


def _is_off_by_default(reader: _Table, cases: Iterable[Case]) -> bool:
    is_off: bool = reader.optional("off_by_default", bool, False)
    if not is_off and any(case.hazard is Hazard.ACCURACY for case in cases):
        raise reader.error("off_by_default", "must be true for a rule about accuracy")
    return is_off


def _docs(reader: _Table) -> Docs:
    docs = reader.below(reader.required("docs", dict), "docs", _DOCS_KEYS)
    return Docs(
        docs.text("why").strip(),
        docs.text("example").strip() + "\n",
        docs.text("instead").strip() + "\n",
        docs.text("fix_safety").strip(),
        docs.texts("references"),
    )


def _cases(reader: _Table, witness: str) -> tuple[Case, ...]:
    """The shapes of the flaw: the `case` tables, or the rule's own keys."""
    own = tuple(_case(each, reader, witness) for each in reader.entries("case", _CASE_KEYS))
    cases = own or (_case(reader, None, witness),)
    if "match" in reader.table and "case" in reader.table:
        raise reader.error("match", "belongs in the cases, since there are some")
    return cases


def _case(reader: _Table, shared: _Table | None, witness: str) -> Case:
    """A case, which takes the keys that it leaves out from the rule."""

    def source(key: str) -> _Table:
        return shared if shared is not None and key not in reader.table else reader

    frameworks = source("frameworks").texts("frameworks")
    if not frameworks:
        raise reader.error("frameworks", "is required")
    for name in frameworks:
        reader.one_of("frameworks", name, FRAMEWORKS)
    patterns = tuple(reader.pattern("match", text) for text in reader.texts("match"))
    if not patterns:
        raise reader.error("match", "is required")
    hazard = source("hazard").text("hazard")
    reader.one_of("hazard", hazard, [str(kind) for kind in Hazard])
    return Case(
        patterns=patterns,
        frameworks=frameworks,
        when=_conditions(source("when"), "when"),
        unless=_conditions(source("unless"), "unless"),
        hazard=Hazard(hazard),
        at_most=_confidence(source("at_most"), "at_most"),
        message=source("message").text("message"),
        witness=reader.text("witness") if shared and "witness" in reader.table else witness,
        report=source("report").optional("report", str, None),
        unproved=source("message").optional("unproved", str, None),
    )


def _audit(reader: _Table, shared: _Table, witness: str) -> Case:
    """An audit, whose conditions must be proofs; it takes frameworks and hazard from the rule."""
    unless = _conditions(reader, "unless")
    for condition in unless:
        if not asked_by(condition).is_proof:
            raise reader.error("unless", f"`{condition.question}` is evidence, not a proof")
    case = _case(reader, shared, witness)
    return replace(
        case,
        when=(),
        unless=unless,
        at_most=Confidence.POSSIBLE,
        message=reader.text("message"),
        report=reader.optional("report", str, None),
        unproved=None,
    )


def _confidence(reader: _Table, key: str) -> Confidence:
    level = reader.optional(key, str, "certain")
    reader.one_of(key, level, [str(confidence) for confidence in Confidence])
    return Confidence[level.upper()]


def _repair(reader: _Table) -> Repair:
    applicability = reader.text("applicability")
    reader.one_of("applicability", applicability, [str(level) for level in Applicability])
    match = reader.optional("match", str, None)
    frameworks = reader.texts("frameworks")
    for name in frameworks:
        reader.one_of("frameworks", name, FRAMEWORKS)
    return Repair(
        match=reader.pattern("match", match) if match is not None else None,
        replace=reader.optional("replace", str, None),
        rewrite=reader.pattern("rewrite", reader.text("rewrite")),
        applicability=Applicability[applicability.upper().replace("-", "_")],
        frameworks=frameworks,
        requires=_conditions(reader, "requires"),
        message=reader.optional("message", str, None),
        tolerance=_tolerance(reader),
        layers=_layers(reader),
        reason=reader.optional("reason", str, None),
    )


def _tolerance(reader: _Table) -> Tolerance:
    given = reader.below(
        reader.optional("tolerance", dict, {}), f"{reader.place}.tolerance", _TOLERANCE_KEYS
    )
    return Tolerance(**_numbers(given, given.table))


def _layers(reader: _Table) -> Layers | None:
    if "layers" not in reader.table:
        return None
    given = reader.below(reader.required("layers", dict), f"{reader.place}.layers", _LAYERS_KEYS)
    for key in _LAYERS_KEYS:
        if not any(signature.constructor for signature in functions(given.text(key))):
            raise given.error(key, f"{given.text(key)!r} is not a layer of any framework")
    return Layers(*map(given.text, _LAYERS_KEYS))


def _witness(reader: _Table) -> Witness:
    given = dict(reader.required("given", dict))
    match = tuple(reader.pattern("match", text) for text in reader.texts("match"))
    return Witness(reader.text("text"), given, reader.texts("only"), match)


def _parameters(reader: _Table) -> dict[str, float]:
    return _numbers(reader, reader.optional("parameters", dict, {}), "parameters.")


def _numbers(reader: _Table, values: Mapping[str, Any], place: str = "") -> dict[str, float]:
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | float):
            kind = type(value).__name__
            raise reader.error(f"{place}{name}", f"expected a number, got {kind}")
    return dict(values)


def _conditions(reader: _Table, key: str) -> tuple[Condition, ...]:
    return tuple(reader.condition(key, text) for text in reader.texts(key))


class _Table:
    """A TOML table that knows its file and place."""

    def __init__(
        self, table: Mapping[str, Any], path: str, place: str, allowed: Iterable[str]
    ) -> None:
        self.table = table
        self.path = path
        self.place = place
        for key in table:
            self.one_of("", key, tuple(allowed), what="key")

    def error(self, key: str, message: str) -> RuleError:
        place = ".".join(part for part in (self.place, key) if part)
        return RuleError(f"{self.path}: {place}: {message}")

    def one_of(self, key: str, value: str, known: Iterable[str], what: str = "value") -> None:
        hint = hint_of(value, list(known))
        if hint is not None:
            raise self.error(key or value, f"unknown {what} {value!r}; {hint}")

    def below(self, table: Any, place: str, allowed: Iterable[str]) -> _Table:
        return _Table(table, self.path, place, allowed)

    def required(self, key: str, kind: type) -> Any:
        if key not in self.table:
            raise self.error(key, "is required")
        return self.optional(key, kind, None)

    def optional(self, key: str, kind: type, default: Any) -> Any:
        value = self.table.get(key, default)
        if key in self.table and not isinstance(value, kind):
            raise self.error(key, f"expected {kind.__name__}, got {type(value).__name__}")
        return value

    def text(self, key: str) -> str:
        return str(self.required(key, str))

    def texts(self, key: str) -> tuple[str, ...]:
        """A string or a list of strings."""
        value = self.table.get(key, [])
        values = [value] if isinstance(value, str) else value
        if not isinstance(values, list) or not all(isinstance(item, str) for item in values):
            raise self.error(key, "expected a string or a list of strings")
        return tuple(values)

    def entries(self, key: str, allowed: Iterable[str]) -> Iterator[_Table]:
        """Yield the tables that are written as `[[key]]`, each with its place."""
        values = self.table.get(key, [])
        if not isinstance(values, list) or not all(isinstance(item, dict) for item in values):
            raise self.error(key, f"must be an array of tables, [[{key}]]")
        for index, entry in enumerate(values):
            yield self.below(entry, f"{key}[{index}]", allowed)

    def pattern(self, key: str, text: str) -> Pattern:
        try:
            return Pattern.parse(text)
        except PatternError as error:
            raise self.error(key, str(error)) from None

    def condition(self, key: str, text: str) -> Condition:
        try:
            return read_condition(text)
        except ConditionError as error:
            raise self.error(key, str(error)) from None
