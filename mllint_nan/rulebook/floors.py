"""The numbers that a fix writes: where it raises a count, that is to 1, which stays an integer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mllint_nan.flow.formats import dtype_of
from mllint_nan.ir.term import VARIABLE, Term, behind_views
from mllint_nan.rulebook.formats import NEXT_TO_ZERO, kept_in
from mllint_nan.rulebook.judge import Judge
from mllint_nan.rulebook.match import Substitution
from mllint_nan.rulebook.predicates.context import Context
from mllint_nan.rulebook.rule import Repair
from mllint_nan.rulebook.verdict import Verdict


def parameters_of(
    judge: Judge, verdict: Verdict, repair: Repair, found: Substitution
) -> Mapping[str, float]:
    """The parameters of the rule, as this repair writes them here."""
    kept = kept_in(dtype_of(verdict.occurrence.term), verdict.rule.parameters)
    floors = dict(_floors(repair.rewrite.term))
    raised = {
        name: 1
        for name, raises in floors.items()
        if name in kept and 0 < kept[name] < 1 and name in NEXT_TO_ZERO
        if all(_is_count(judge.context(verdict, found), found.terms.get(x)) for x in raises)
    }
    return {**kept, **raised} if raised else kept


def _floors(rewrite: Term) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield each parameter that is only used as a lower bound, and the variables that it bounds."""
    bounds: dict[str, tuple[str, ...]] = {}
    uses: dict[str, int] = {}
    pending = [rewrite]
    while pending:
        term = pending.pop()
        pending.extend(term.children())
        if term.operation is VARIABLE:
            uses[term.detail] = uses.get(term.detail, 0) + 1
        bound = term.settings.get("min") if term.operation.name == "clip" else None
        if term.operation.name == "maximum":
            bound = term.operands[1]
        if bound is not None and {bound.operation, term.operands[0].operation} == {VARIABLE}:
            bounds[bound.detail] = (*bounds.get(bound.detail, ()), term.operands[0].detail)
    return ((name, raised) for name, raised in bounds.items() if uses[name] == len(raised))


def _is_count(context: Context, term: Term | None) -> bool:
    """Whether a term is a nonnegative integer, so that 1 is the number next to 0."""
    if term is None:
        return False
    inner = behind_views(term)
    if inner.operation.name in ("sum", "max", "clip"):
        return _is_whole(context, term) or _is_count(context, inner.operands[0])
    return _is_whole(context, term)


def _is_whole(context: Context, term: Term) -> bool:
    value = context.value(term)
    return value.integer and value.lo >= 0
