"""Structures of parameters by which JAX differentiates a function: which of their parts move."""

from __future__ import annotations

import re
from itertools import islice
from typing import Final

from mllint_nan.flow.applied_models import are_moved
from mllint_nan.flow.state import Scope
from mllint_nan.flow.trained import TRAINED
from mllint_nan.ir.term import (
    ATTRIBUTE,
    INPUT,
    OPAQUE,
    Term,
    constant_of,
    peel,
)
from mllint_nan.rulebook.predicates.context import Context, framework_of, is_self, passed_for
from mllint_nan.training import Training

_CALLS_DEEPEST: Final = 3
_PARTS_MOST: Final = 24
_DIFFERENTIATES: Final = re.compile(r"^call jax\.(grad|value_and_grad)$")
_ROW: Final = re.compile(r":\d+$")
_DIRECT: Final = 2
"""The length of a path from the row that takes a gradient directly to a definition."""
_SCALED: Final = frozenset(("mul", "div", "neg", "reference", "choice"))


def is_tree_leaf(context: Context, part: Term) -> bool:
    """Whether a part is a leaf of parameters that a function is differentiated by, with updates.

    One that has a name: what is only numbered may be a coordinate of a point.
    """
    parts = _containing(part)
    is_named = any(one.operation is ATTRIBUTE or _is_keyed(one) for one in parts)
    return is_named and _is_moved(context, parts, _CALLS_DEEPEST, is_named=True)


def is_descended(context: Context, whole: Term) -> bool:
    """Whether a term is such a structure, or anything in one."""
    return _is_moved(context, _containing(peel(whole)), _CALLS_DEEPEST)


def is_only_differentiated(context: Context, leaf: Term) -> bool:
    """Whether a function of JAX is differentiated by a tensor that nothing visible updates.

    As by the points of a domain, for a differential equation.
    """
    if leaf.detail != TRAINED:
        return False
    start = peel(leaf.operands[0])
    taken = (
        peel(made.operands[0])
        for made in context.analysis.consumers.get(start.key, ())
        if made.operation is OPAQUE and made.detail == "call"
    )
    derivatives = [one for one in taken if _takes(one)]
    return bool(derivatives) and not any(_moves(context, one) for one in derivatives)


def _containing(part: Term) -> list[Term]:
    """A part of a structure, what it is taken out of, and so on to the whole structure."""
    parts = [part]
    while _is_taken_out(parts[-1]):
        parts.append(peel(parts[-1].operands[0]))
    return parts


def _is_taken_out(part: Term) -> bool:
    if part.operation is ATTRIBUTE:
        return not is_self(part.operands[0])
    if part.operation.name == "subscript":
        return isinstance(constant_of(part.operands[1]), (str, int))
    is_unpacked = part.operation is OPAQUE and str(part.detail).startswith("part ")
    return is_unpacked or part.operation.name == "element"


def _is_keyed(part: Term) -> bool:
    return part.operation.name == "subscript" and isinstance(constant_of(part.operands[1]), str)


def _is_moved(context: Context, parts: list[Term], depth: int, *, is_named: bool = False) -> bool:
    """Whether training updates the last of these, a parameter that `jax.grad` differentiates by.

    Or one that is passed for it. Other files tell that only of structures: they may as well
    differentiate by a point.
    """
    parameter, is_structure = parts[-1], len(parts) > 1
    if is_structure and parameter.operation is INPUT and parameter.key in context.analysis.updated:
        return True
    function, name = context.analysis.parameters.get(parameter.key, (0, ""))
    scope = context.analysis.functions.get(function)
    if scope is None or name not in scope.parameters:
        return False
    place = scope.parameters.index(name) - (scope.parameters[0] == "self")
    calls = [call for call in context.analysis.consumers.get(scope.key, ()) if _takes(call)]
    taken = [call for call in calls if next(islice(are_moved(call), place, None), False)]
    if taken:
        is_stepped = is_named and context.analysis.steps
        return any(is_stepped or _moves(context, call) for call in taken)
    if is_structure and not calls and place == 0 and _is_trained_elsewhere(context, scope):
        return True
    return depth > 0 and any(
        _is_moved(context, parts[:-1] + _containing(peel(given)), depth - 1, is_named=is_named)
        for given in passed_for(context, parameter)
    )


def _is_trained_elsewhere(context: Context, scope: Scope) -> bool:
    """Whether another file of the project takes gradients of a function of JAX.

    They are those by its first argument, unless something else is asked for. Of a function that
    only a loss calls, the first argument may be anything.
    """
    is_of_jax = framework_of(context.occurrence.term, context.analysis) == "jax"
    name = scope.definition if is_of_jax else ""
    if not name:
        return False
    training, path = context.analysis.trained(name)
    is_taken_of_it = len(path) == _DIRECT and bool(_ROW.search(path[0]))
    return training is Training.THROUGH and is_taken_of_it


def _takes(call: Term) -> bool:
    return call.operation is OPAQUE and bool(_DIFFERENTIATES.search(str(call.detail)))


def _moves(context: Context, derivative: Term) -> bool:
    """Whether what a derivative gives updates what it is taken by.

    It is subtracted from that, scaled or not, or passed on where an optimizer takes steps.
    """
    roots: set[int] = set()
    pending, seen = [derivative], set[int]()
    while pending and len(seen) < _PARTS_MOST:
        gradient = pending.pop()
        for made in context.analysis.consumers.get(gradient.key, ()):
            if made.key in seen:
                continue
            seen.add(made.key)
            if made.operation is OPAQUE and made.detail == "call":
                roots.update(_containing(peel(given))[-1].key for given in made.operands[1:])
                pending.append(made)
            elif made.operation.name == "sub":
                moved, step = map(peel, made.operands)
                if step.key == gradient.key and _containing(moved)[-1].key in roots:
                    return True
            elif made.operation is OPAQUE and str(made.detail).startswith("call "):
                if context.analysis.steps:
                    return True
            elif made.operation.name in _SCALED or _is_taken_out(made):
                pending.append(made)
    return False
