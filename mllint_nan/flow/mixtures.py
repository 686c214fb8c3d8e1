"""Mixtures: the probability given to a label, `t * p + (1 - t) * (1 - p)`; two distributions."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mllint_nan.domains.value import Value
from mllint_nan.flow.implications import EVERYTHING
from mllint_nan.ir.term import Term, behind_views, number_of, walk


def of_label(total: Term, ask: Callable[[Term], Value]) -> Value | None:
    """Return the value of a mix of p and 1 - p by a label: one of them where that is 0 or 1.

    It attains what these attain. Only a label has both to choose from: what smooths p is mixed with
    another value.
    """
    attained = frozenset[float]()
    for chosen, p, left_out, rest in mixed(total):
        attained |= _chosen(ask(chosen), ask(p)) | _chosen(ask(left_out), ask(rest))
    return Value(EVERYTHING.interval, nan=True, attained=attained) if attained else None


def of_distributions(total: Term, ask: Callable[[Term], Value]) -> Value | None:
    """Return the value of a mix of two softmaxes of different logits.

    It attains 0: where both are confident, most classes have a probability of 0 in either.
    """
    left, right = (_distribution(part, ask) for part in total.operands)
    if left is None or right is None or left.key == right.key:
        return None
    return Value(EVERYTHING.interval, nan=True, attained=frozenset((0.0,)))


def _distribution(share: Term, ask: Callable[[Term], Value]) -> Term | None:
    """The softmax that a term is, or is a multiple of, if it attains 0."""
    inner = behind_views(share)
    factors = {"mul": inner.operands, "div": inner.operands[:1]}.get(inner.operation.name, (inner,))
    for factor in map(behind_views, factors):
        if factor.operation.name == "softmax" and 0.0 in ask(factor).attained:
            return factor
    return None


def mixed(total: Term) -> Iterator[tuple[Term, Term, Term, Term]]:
    """Yield t, p, 1 - t and 1 - p of a mix, in whatever order they are: either may be the label."""
    first, second = map(behind_views, total.operands)
    if first.operation.name != "mul" or second.operation.name != "mul":
        return
    for chosen, p in (first.operands, first.operands[::-1]):
        for left_out, rest in (second.operands, second.operands[::-1]):
            if are_complements(chosen, left_out) and are_complements(p, rest):
                yield chosen, p, left_out, rest


def _chosen(share: Value, value: Value) -> frozenset[float]:
    """The values that are attained where the share is 1."""
    return value.attained if share.free or 1.0 in share.attained else frozenset()


def are_complements(left: Term, right: Term) -> bool:
    """Whether one is 1 minus the other."""
    one, other = behind_views(left), behind_views(right)
    return any(
        part.operation.name == "sub"
        and number_of(part.operands[0]) == 1
        and behind_views(part.operands[1]).key == whole.key
        for part, whole in ((one, other), (other, one))
    )


def is_chosen_by_label(choice: Term) -> bool:
    """Whether a `where` chooses p or 1 - p, or p by a label: `where(y == 1, p, 1)`.

    That keeps p from nothing. `where(n == 0, 1, p)` may, if p is singular where n is 0.
    """
    condition, first, second = choice.operands
    if are_complements(first, second):
        return True
    compared = behind_views(condition)
    if compared.operation.name != "eq":
        return False
    labels = [number_of(part) for part in compared.operands]
    label = next((number for number in labels if number is not None), None)
    if label is None or None not in labels:
        return False
    chosen, other = (second, first) if _is_written_out(first) else (first, second)
    if not _is_written_out(other) or (label == 0 and chosen is second):
        return False
    tested = {part.key for part in walk(compared.operands[labels.index(None)])}
    return not any(part.key in tested for part in walk(chosen))


def _is_written_out(term: Term) -> bool:
    inner = behind_views(term)
    return number_of(inner) is not None or inner.operation.kind == "constant"
