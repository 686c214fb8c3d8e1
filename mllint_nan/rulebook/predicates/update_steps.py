"""What JAX computes beside the gradients of a training step: it is not differentiated again.

JAX differentiates the functions that are passed to it, and not those that pass them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mllint_nan.flow.state import Analysis, Scope
from mllint_nan.frameworks.differentiation import OTHER_TRANSFORMS, TRANSFORMS, any_of
from mllint_nan.ir.term import OPAQUE, QUALIFIED, SEQUENCE, Term, peel, walk, walk_into
from mllint_nan.rulebook.predicates.one_number import gives_mean, is_loss
from mllint_nan.rulebook.predicates.untrained import (
    CALLERS_DEEPEST,
    callers_of,
    differentiates_functions,
)

_TRANSFORMS: Final = re.compile(rf"(^|[. ]){any_of(TRANSFORMS | OTHER_TRANSFORMS)}$")
_TAKES: Final = re.compile(r"^call (jax|flax\.nnx|equinox)\.(filter_)?(grad|value_and_grad)$")
_TAKES_BOTH: Final = re.compile(r"[._]value_and_grad$")
_APPLIES: Final = re.compile(r"[. ](apply_updates|apply_gradients)$")
_MAPS: Final = re.compile(r"[. ](tree_map|tree_multimap|tree\.map)$")
_PART: Final = re.compile(r"^part \d+$")
_WRAPPED_DEEPEST: Final = 4


def is_beside_step(analysis: Analysis, scope: Scope) -> bool:
    """Whether all visible calls of a scope are in training steps, and none is differentiated.

    A training step takes gradients and updates by them what they are taken by, or returns the loss
    beside them. JAX alone computes gradients in the file.
    """
    if not differentiates_functions(analysis) or not _is_beside(analysis, scope, CALLERS_DEEPEST):
        return False
    return not _is_differentiated(analysis, scope, set())


def _is_beside(analysis: Analysis, scope: Scope, depth: int) -> bool:
    if any(outer.kind == "function" and _is_step(analysis, outer) for outer in scope.enclosing()):
        return True
    callers = callers_of(analysis, scope) if depth else []
    return bool(callers) and all(_is_beside(analysis, one.scope, depth - 1) for one in callers)


def _is_differentiated(analysis: Analysis, scope: Scope, seen: set[int]) -> bool:
    """Whether a function around a scope, or one that names it, is passed to a transformation."""
    for outer in scope.enclosing():
        if outer.kind != "function" or outer.key in seen:
            continue
        seen.add(outer.key)
        if _is_handed_on(analysis, outer.key, _WRAPPED_DEEPEST) or _is_decorated(outer):
            return True
        callers = analysis.callers.get(outer.key, ())
        if any(_is_differentiated(analysis, one.scope, seen) for one in callers):
            return True
    return False


def _is_decorated(function: Scope) -> bool:
    return any(
        part.operation in (OPAQUE, QUALIFIED) and _TRANSFORMS.search(str(part.detail))
        for decorator in function.decorators
        for part in walk(decorator)
    )


def _is_handed_on(analysis: Analysis, key: int, depth: int) -> bool:
    """Whether a function, or what other calls such as `jax.jit` make of it, is differentiated."""
    for use in analysis.consumers.get(key, ()) if depth else ():
        if use.operation is SEQUENCE:
            continue
        is_passed = use.operation is OPAQUE and peel(use.operands[0]).key != key
        if is_passed and _TRANSFORMS.search(str(use.detail)):
            return True
        if is_passed and _is_handed_on(analysis, use.key, depth - 1):
            return True
    return False


def _is_step(analysis: Analysis, function: Scope) -> bool:
    """Whether a function updates what it takes gradients by, or returns the loss beside them."""
    if not function.trains_here:
        return False
    made = [*function.returned, *_stored(function)]
    parts = [part for one in made for part in walk_into(one, lambda t: _below(analysis, t))]
    taken = [part for part in parts if _takes_gradient(part)]
    if any(_is_update(part, taken) for part in parts if taken):
        return True
    returned = [peel(one) for one in function.returned]
    return bool(returned) and all(_gives_loss(analysis, one) for one in returned)


def _stored(function: Scope) -> Iterator[Term]:
    """What a function binds to its variables and to the attributes of its object."""
    for name in function.assigned if function.final is not None else ():
        found = function.final.lookup(name) if function.final is not None else None
        yield from () if found is None else (found,)
    owner = function.owner
    for name in function.stores if owner is not None else ():
        yield from owner.attributes.get(name, ()) if owner is not None else ()


def _below(analysis: Analysis, term: Term) -> tuple[Term, ...]:
    carried = analysis.carried.get(term.key)
    children = tuple(term.children())
    return (*children, carried[0]) if carried is not None else children


def _takes_gradient(term: Term) -> bool:
    """Whether a term is `jax.grad(f)(x)` or the like, wrapped or not."""
    if term.operation is not OPAQUE or not term.operands:
        return False
    callee = peel(term.operands[0])
    return callee.operation is OPAQUE and any(
        one.operation is OPAQUE and _TAKES.search(str(one.detail)) for one in walk(callee)
    )


def _is_update(term: Term, taken: list[Term]) -> bool:
    """Whether a term is what some gradients were taken by, moved by them."""
    gradients = {one.key for one in taken}
    moved = {peel(given).key for one in taken for given in one.operands[1:]}
    what = str(term.detail)
    if term.operation is OPAQUE and _APPLIES.search(what):
        return _contains(term, gradients)
    if term.operation is OPAQUE and _MAPS.search(what):
        given = term.operands[1:]
    elif term.operation.name in ("add", "sub"):
        given = term.operands
    else:
        return False
    return any(_root(one).key in moved for one in given) and any(
        _contains(one, gradients) for one in given if _root(one).key not in moved
    )


def _contains(term: Term, keys: set[int]) -> bool:
    return any(part.key in keys for part in walk(term))


def _root(term: Term) -> Term:
    """What a term is an element of."""
    inner = peel(term)
    while inner.operation.name == "subscript":
        inner = peel(inner.operands[0])
    return inner


def _gives_loss(analysis: Analysis, returned: Term) -> bool:
    """Whether several values are returned, first the loss of which a gradient is taken."""
    if returned.operation is not SEQUENCE or len(returned.operands) < 2:
        return False
    first = peel(returned.operands[0])
    while first.operation is OPAQUE and _PART.search(str(first.detail)):
        first = peel(first.operands[0])
        if _takes_gradient(first):
            return _is_of_loss(analysis, peel(first.operands[0]))
    return False


def _is_of_loss(analysis: Analysis, callee: Term) -> bool:
    """Whether a loss and its gradient are computed together."""
    scopes = [analysis.functions.get(one.key) for one in walk(callee)]
    functions = [one for one in scopes if one is not None]
    takes_both = any(_TAKES_BOTH.search(str(one.detail)) for one in walk(callee))
    return (
        takes_both
        and bool(functions)
        and all(gives_mean(one) or is_loss(analysis, one) for one in functions)
    )
