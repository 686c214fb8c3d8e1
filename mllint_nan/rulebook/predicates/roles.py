"""What a value is, judged by its uses, and by its values on several paths.

Each answer is evidence: a mask may still select something wherever it is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    INPUT,
    OPAQUE,
    Term,
    behind_views,
    constant_of,
    number_of,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.context import Context, through_views

_CONDITIONED: Final = frozenset(("logical_not", "logical_and", "logical_or"))
_COMPARED: Final = frozenset(("eq", "ne", "gt"))
_FULL: Final = frozenset(("ones", "ones_like"))
_LOSSES: Final = frozenset(
    (
        *("cross_entropy", "nll_loss", "binary_cross_entropy", "categorical_cross_entropy"),
        *("softmax_cross_entropy", "sigmoid_cross_entropy", "binary_cross_entropy_with_logits"),
    )
)
_OPTIONS_MOST: Final = 4
_GIVEN: Final = re.compile(r"^(call|part) ")


def options_of(term: Term) -> tuple[Term, ...]:
    """The values that a conditional default chooses from: `a if c else b`, an `if`, `a or b`."""
    inner = behind_views(term)
    is_choice = inner.operation is CHOICE and inner.detail in ("branch", "conditional")
    is_or = inner.operation is OPAQUE and inner.detail == "or"
    found = inner.operands if is_choice or is_or else ()
    return found if len(found) <= _OPTIONS_MOST else ()


def selects_on_each_path(
    context: Context, term: Term, selects: Callable[[Context, Term], Truth]
) -> Truth:
    """Whether some option selects, and every other one selects too or takes everything.

    UNKNOWN if an option is only taken after a test of its value, which may guard it.
    """
    inner = behind_views(term)
    answers: list[bool] = []
    for place, option in enumerate(options_of(term)):
        if takes_everything(option):
            continue
        facts = inner.facts[place] if place < len(inner.facts) else ()
        own = {part.key for part in through_views(option)}
        is_looked_at = any(not context.oracle.tested(fact).keys.isdisjoint(own) for fact in facts)
        answers.append(not is_looked_at and selects(context, option) is Truth.YES)
    return Truth.YES if answers and all(answers) else Truth.UNKNOWN


def takes_everything(option: Term) -> bool:
    """Whether an option is a mask of ones."""
    inner = behind_views(option)
    if inner.operation.name in _FULL:
        return True
    if inner.operation.name in ("full", "full_like"):
        filled = inner.settings.get("value", inner.operands[-1] if inner.operands else None)
        return number_of(filled) == 1 or constant_of(filled) is True
    return constant_of(option) is True


def is_unknown(term: Term) -> bool:
    """Whether a term is a parameter, an attribute, or an unknown call's result or part of it."""
    inner = behind_views(term)
    return inner.operation in (INPUT, ATTRIBUTE) or (
        inner.operation is OPAQUE and _GIVEN.search(str(inner.detail)) is not None
    )


def is_used_to_select(context: Context, term: Term) -> bool:
    """Whether a value decides elsewhere what counts.

    It is the condition of a `where` or a mask index, or it is negated, combined or compared with 0
    in a condition that selects other values.
    """
    for part in through_views(term):
        for consumer in context.analysis.consumers.get(part.key, ()):
            if _decides(context, part, consumer):
                return True
    return False


def is_used_as_label(context: Context, term: Term) -> bool:
    """Whether other values are compared with this one.

    Its complement is taken, it is compared with a number, it selects, a loss takes it as its
    target, or it is counted beside its overlap with something else.
    """
    if is_used_to_select(context, term):
        return True
    is_counted = overlaps = False
    for part in through_views(term):
        for consumer in context.analysis.consumers.get(part.key, ()):
            name, operands = consumer.operation.name, consumer.operands
            if name == "sub" and number_of(operands[0]) == 1:
                return True
            if name in ("eq", "ne") and any(number_of(one) is not None for one in operands):
                return True
            if name in _LOSSES and any(one.key == part.key for one in operands[1:]):
                return True
            is_counted = is_counted or name == "sum"
            overlaps = overlaps or (name == "mul" and _is_summed(context, consumer))
    return is_counted and overlaps


def _is_summed(context: Context, product: Term) -> bool:
    return any(
        consumer.operation.name == "sum"
        for consumer in context.analysis.consumers.get(product.key, ())
    )


def _decides(context: Context, part: Term, consumer: Term) -> bool:
    name = consumer.operation.name
    if name == "boolean_mask":
        return any(peel(operand).key == part.key for operand in consumer.operands[1:])
    if name == "where":
        return peel(consumer.operands[0]).key == part.key
    is_compared = name in _COMPARED and any(number_of(o) == 0 for o in consumer.operands)
    if not is_compared and name not in _CONDITIONED:
        return False
    return any(
        outer.operation.name in ("where", "boolean_mask", *_CONDITIONED)
        and any(peel(operand).key == consumer.key for operand in outer.operands)
        and not (is_compared and _keeps(outer, part, consumer))
        for outer in context.analysis.consumers.get(consumer.key, ())
    )


def _keeps(outer: Term, part: Term, condition: Term) -> bool:
    """Whether what is compared is also among what the condition selects from, as in a guard."""
    return any(
        inner.key == part.key
        for operand in outer.operands
        if peel(operand).key != condition.key
        for inner in walk(operand)
    )
