"""The matches of an operation, which all cases that have the same pattern share."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Final

from mllint_nan.flow.oracle import Oracle
from mllint_nan.flow.state import Analysis, Occurrence
from mllint_nan.ir.term import Term
from mllint_nan.rulebook.match import Matcher
from mllint_nan.rulebook.predicates.context import Context

MATCHES_MOST: Final = 24
_KEPT_MOST: Final = 256


class Contexts:
    """The contexts in which the conditions of cases are asked about operations.

    They hold as long as no further calls are evaluated, which may add effects that follow a match.
    """

    def __init__(self, analysis: Analysis, matcher: Matcher, oracle: Oracle) -> None:
        self._analysis = analysis
        self._matcher = matcher
        self._oracle = oracle
        self._known: dict[tuple[int, int], tuple[Occurrence, tuple[Context, ...]]] = {}
        """The last ones, by the ids of an occurrence and a pattern.

        The occurrence is kept, so that no other one gets its id.
        """

    def of(self, pattern: Term, occurrence: Occurrence) -> Sequence[Context]:
        """One context for each way in which the operation matches, up to a limit."""
        place = (id(occurrence), id(pattern))
        known = self._known.get(place)
        if known is None:
            if len(self._known) >= _KEPT_MOST:
                self._known.clear()
            matches = islice(self._matcher.match(pattern, occurrence.term), MATCHES_MOST)
            found = [Context(self._analysis, self._oracle, occurrence, one) for one in matches]
            known = self._known[place] = (occurrence, tuple(found))
        return known[1]
