"""The patterns of rules by the operations they begin with, as in a discrimination tree."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

from mllint_nan.ir.term import Term
from mllint_nan.rulebook.pattern import needs
from mllint_nan.rulebook.rule import Case, Rule

_KEPT_MOST: Final = 16_384
"""How many answers are cached, by root operation and the operations inside the term."""


def by_root(cases: Iterable[tuple[Rule, Case]]) -> dict[str, list[tuple[Rule, Case, Term]]]:
    """The patterns of cases, by the operations that they begin with."""
    found: dict[str, list[tuple[Rule, Case, Term]]] = {}
    for rule, case in cases:
        for pattern in case.patterns:
            for root in pattern.roots():
                found.setdefault(root, []).append((rule, case, pattern.term))
    return found


class Candidates:
    """Finds the patterns that may match a term, from the operations in it."""

    def __init__(self, rules: Sequence[Rule]) -> None:
        rooted = by_root((rule, case) for rule in rules for case in rule.cases)
        self._rooted = {
            root: [(tuple(needs(one[2])), one) for one in found] for root, found in rooted.items()
        }
        self._found: dict[tuple[str, int], tuple[tuple[Rule, Case, Term], ...]] = {}

    def of(self, term: Term) -> tuple[tuple[Rule, Case, Term], ...]:
        """The patterns all of whose operations occur in the term."""
        root, inside = term.operation.name, term.inside
        if root not in self._rooted:
            return ()
        found = self._found.get((root, inside))
        if found is None:
            if len(self._found) >= _KEPT_MOST:
                self._found.clear()
            left = []
            for ways, one in self._rooted[root]:
                for needed in ways:
                    if needed & inside == needed:
                        left.append(one)
                        break
            found = self._found[root, inside] = tuple(left)
        return found


_candidates: list[tuple[Sequence[Rule], Candidates]] = []
"""The rules of the last call, which are the same for all files, with their patterns."""


def candidates_of(rules: Sequence[Rule]) -> Candidates:
    for known, found in _candidates:
        if known is rules:
            return found
    found = Candidates(rules)
    if isinstance(rules, tuple):  # anything else may change
        _candidates[:] = [(rules, found)]
    return found
