"""The patterns of rules by the operations they begin with, as in a discrimination tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mllint_nan.ir.term import Term
from mllint_nan.rulebook.rule import Case, Rule


def by_root(cases: Iterable[tuple[Rule, Case]]) -> dict[str, list[tuple[Rule, Case, Term]]]:
    """The patterns of cases by the operations that they begin with."""
    found: dict[str, list[tuple[Rule, Case, Term]]] = {}
    for rule, case in cases:
        for pattern in case.patterns:
            for root in pattern.roots():
                found.setdefault(root, []).append((rule, case, pattern.term))
    return found


_rooted: list[tuple[Sequence[Rule], dict[str, list[tuple[Rule, Case, Term]]]]] = []
"""The rules that were last asked for, which are the same for all files, and their patterns."""


def all_by_root(rules: Sequence[Rule]) -> dict[str, list[tuple[Rule, Case, Term]]]:
    for known, found in _rooted:
        if known is rules:
            return found
    found = by_root((rule, case) for rule in rules for case in rule.cases)
    if isinstance(rules, tuple):  # nothing else stays what it is
        _rooted[:] = [(rules, found)]
    return found
