"""Makes a match more precise by another pattern, such as that of a fix or a witness."""

from __future__ import annotations

from dataclasses import replace

from mllint_nan.ir.term import Term
from mllint_nan.rulebook.match import Matcher, Substitution
from mllint_nan.rulebook.pattern import Pattern
from mllint_nan.rulebook.verdict import Verdict


def narrowed(matcher: Matcher, pattern: Pattern, verdict: Verdict) -> Substitution | None:
    """The verdict's match together with what a pattern binds; None if the two disagree."""
    for found in matcher.match(pattern.term, verdict.occurrence.term):
        shared = found.terms.keys() & verdict.found.terms.keys()
        if all(_same(found.terms[name], verdict.found.terms[name]) for name in shared):
            merged = {**verdict.found.terms, **found.terms}
            rest = {**verdict.found.rest, **found.rest}
            places = {**verdict.found.places, **found.places}
            return replace(found, terms=merged, rest=rest, places=places)
    return None


def _same(first: Term | None, second: Term | None) -> bool:
    if first is None or second is None:
        return first is second
    return first.key == second.key
