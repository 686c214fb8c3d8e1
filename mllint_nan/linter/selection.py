"""Which rules are evaluated and which are reported, by the settings."""

from __future__ import annotations

from functools import lru_cache

from mllint_nan.findings import Confidence
from mllint_nan.project_files import is_test
from mllint_nan.rulebook.load import load_rules
from mllint_nan.rulebook.rule import Rule
from mllint_nan.rulebook.selection import most_selective, strongest
from mllint_nan.settings import Settings


def is_silent(filename: str, settings: Settings) -> bool:
    """Whether nothing that the rules find in a file has the requested confidence."""
    return settings.min_confidence > Confidence.POSSIBLE and is_test(filename)


def select_rules(settings: Settings) -> tuple[Rule, ...]:
    """The rules that are selected and not ignored; the longer prefix wins."""
    known = load_rules(settings.rules, settings.epsilon)
    return tuple(rule for rule in known if is_selected(rule, settings))


def selected_codes(settings: Settings) -> frozenset[str]:
    """The codes of the rules that are selected and not ignored."""
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


def speaking_codes(settings: Settings) -> frozenset[str]:
    """The codes that may override others, even if ignored: the user has judged what they find."""
    named = (*settings.select, *settings.ignore)
    return _codes(named, (), settings.rules, settings.epsilon)


def asked_rules(settings: Settings) -> tuple[Rule, ...]:
    """The rules that are evaluated: all but those that are off."""
    optional = _off_by_default(settings.rules)
    return _less_off(optional - selected_codes(settings), settings.rules, settings.epsilon)


@lru_cache
def _off_by_default(rules: tuple[str, ...]) -> frozenset[str]:
    return frozenset(rule.code for rule in load_rules(rules) if rule.off_by_default)


@lru_cache
def _less_off(
    off: frozenset[str], rules: tuple[str, ...], epsilon: float | None
) -> tuple[Rule, ...]:
    """All rules but some: the same tuple for all settings that leave the same rules off."""
    return tuple(rule for rule in load_rules(rules, epsilon) if rule.code not in off)


def is_selected(rule: Rule, settings: Settings) -> bool:
    """Whether a rule is selected and not ignored."""
    chosen = most_selective(settings.select, rule)
    return chosen >= 0 and chosen > strongest(settings.ignore, rule)
