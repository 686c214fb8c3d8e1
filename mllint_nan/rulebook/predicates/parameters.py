"""Questions about what is trained: parameters, and the outputs of layers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.state import Scope
from mllint_nan.flow.trained import TRAINED, makes_parameter
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
    INPUT,
    OPAQUE,
    QUALIFIED,
    SEQUENCE,
    Term,
    behind_views,
    constant_of,
    number_of,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.called_layers import (
    is_affine,
    is_no_activation,
    layers_called,
    returned_by,
)
from mllint_nan.rulebook.predicates.constructed import is_excluded
from mllint_nan.rulebook.predicates.context import (
    Context,
    class_of,
    is_copy,
    kept,
    known,
    name_of,
    passed_for,
    passed_within,
    stored_by,
    tells,
    through_views,
)
from mllint_nan.rulebook.predicates.floors import stays_above_zero
from mllint_nan.rulebook.predicates.members import Zero
from mllint_nan.rulebook.predicates.parameter_trees import (
    is_descended,
    is_only_differentiated,
    is_tree_leaf,
)
from mllint_nan.rulebook.predicates.zeros import passed_straight

_CALLS_DEEPEST: Final = 3
_PARTS_MOST: Final = 24
_VALUES: Final = frozenset(("value", "data"))
"""Attributes by which the value of a parameter is read."""
_MAKES_WEIGHTS: Final = re.compile(r"^call tensorflow(\.compat\.v1)?\.layers\.(dense|conv\dd)$")
"""Functions that multiply by weights of their own, and apply the activation they are given."""
_TAKES_WEIGHTS: Final = re.compile(
    r"^call (torch\.nn\.functional\.((bi)?linear|conv(_transpose)?\dd)|torch\.(addmm|addmv|baddbmm)"
    r"|tensorflow(\.compat\.v1)?\.nn\.(conv\w*|\w+_conv2d|xw_plus_b)"
    r"|(tensorflow\.)?keras\.ops\.\w*conv(_transpose)?|jax\.lax\.conv\w*)$"
)
"""Functions that multiply by weights they are given."""
_UNBOUNDED: Final = frozenset(
    (
        *("neg", "add", "sub", "mul", "mean", "sum", "max", "min", "maximum", "minimum"),
        *("relu", "leaky_relu", "elu", "gelu", "silu", "softplus"),
    )
)
"""Operations that can be any size where an operand can, upwards at least."""
_SPLITS: Final = frozenset(("call chunk", "call split", "call unbind", "call unstack"))
_SPLIT_FUNCTIONS: Final = re.compile(
    r"^call (torch|tensorflow|jax\.numpy|keras\.ops)\.(chunk|split|unbind|unstack)$"
)
_MAGNITUDES: Final = frozenset(("norm", "std", "var", "abs", "square"))
_PRODUCTS: Final = frozenset(("matmul", "einsum", "dot"))


def is_trained_leaf(term: Term) -> bool:
    """Whether a term creates a parameter, or a tensor that requires its gradient.

    A `Parameter` that is created from a text is one of a command or a workflow.
    """
    if term.operation is not OPAQUE:
        return False
    called = str(term.detail)
    of_text = len(term.operands) > 1 and isinstance(constant_of(term.operands[1]), str)
    is_other = of_text and called.endswith(("Parameter", "Variable"))
    return called == TRAINED or (makes_parameter(called) and not is_other)


@tells(Zero.TRAINED)
def is_moved(context: Context, x: Term) -> Truth:
    """Training moves x to 0 and below: x is a parameter, scaled or not, without bounds.

    UNKNOWN for a parameter that the program itself keeps within bounds, or does not train, and for
    a copy of one, through which nothing is trained.
    """
    value = context.value(x)
    if value.can_be(0.0) is Truth.NO or value.lo >= 0:
        return Truth.NO
    if any(map(is_copy, through_views(x))):
        return Truth.UNKNOWN
    found = [_is_moved(context, x, part) for part in _unscaled(x)]
    return next((truth for truth in (Truth.YES, Truth.UNKNOWN) if truth in found), Truth.NO)


def is_cut_by_constraint(context: Context, x: Term) -> Truth:
    """Whether x is a parameter that a constraint cuts off at 0 after each step."""
    if context.value(x).can_be(0.0) is Truth.NO:
        return Truth.NO
    made = [leaf for part in _unscaled(x) for leaf in _leaves_of(context, part)]
    restrained = context.analysis.restrained
    return known(any(restrained.get(leaf.key, "").lower() in _CUTS for leaf in made))


_CUTS: Final = frozenset(("nonneg", "non_neg"))


def _unscaled(x: Term) -> Iterator[Term]:
    """Yield x without the numbers that scale it, on each of several paths."""
    pending, seen = [x], set[int]()
    while pending and len(seen) < _PARTS_MOST:
        views = through_views(pending.pop())
        inner = views[-1]
        if inner.key in seen:
            continue
        seen.add(inner.key)
        options = inner.operands if inner.operation is CHOICE else passed_straight(inner)
        if options:
            pending.extend(options)
            continue
        if inner.operation.name in ("mul", "div", "neg"):
            factors = [part for part in inner.operands if number_of(part) is None]
            is_quotient = inner.operation.name == "div"
            if len(factors) == 1 and not (is_quotient and number_of(inner.operands[0]) is not None):
                pending.append(factors[0])
            continue
        yield from views


def _is_moved(context: Context, x: Term, part: Term) -> Truth:
    if is_tree_leaf(context, part):
        return Truth.YES
    made = list(_leaves_of(context, part))
    if not made:
        return Truth.NO
    analysis = context.analysis
    names = {name_of(x), name_of(part)}
    if not names.isdisjoint(analysis.assigned):
        return Truth.UNKNOWN
    for name in names & analysis.bounded.keys():
        if any(stays_above_zero(context, written) for written in analysis.bounded[name]):
            return Truth.UNKNOWN
    if any(leaf.key in analysis.restrained for leaf in made):
        return Truth.UNKNOWN
    is_kept = part.operation is ATTRIBUTE
    return known(all(is_kept or _is_stepped(context, leaf) for leaf in made)).or_(Truth.UNKNOWN)


def _is_stepped(context: Context, leaf: Term) -> bool:
    """Whether visible code updates a parameter, or it belongs to a model."""
    if leaf.detail == TRAINED:
        return leaf.key in context.analysis.updated
    is_variable = str(leaf.detail).endswith(("Variable", "get_variable"))
    return context.analysis.steps or not is_variable


def _leaves_of(context: Context, part: Term, depth: int = _CALLS_DEEPEST) -> Iterator[Term]:
    """Yield the terms that create a parameter."""
    if is_trained_leaf(part):
        yield part
    elif part.operation is ATTRIBUTE and part.detail in _VALUES:
        yield from _leaves_of(context, peel(part.operands[0]), depth)
    elif part.operation is ATTRIBUTE:
        stored = [term for term in map(peel, kept(context, part)) if not _is_none(term)]
        leaves = [leaf for term in stored for leaf in _elements_of(term)]
        if leaves and all(map(is_trained_leaf, leaves)):
            yield from leaves
    elif part.operation.name == "element" and depth > 0:
        yield from _leaves_of(context, peel(part.operands[0]), depth - 1)
    elif part.operation is CHOICE and depth > 0:
        for option in part.operands:
            yield from _leaves_of(context, behind_views(option), depth - 1)
    elif part.operation is INPUT and depth > 0:
        for given in passed_for(context, part):
            yield from _leaves_of(context, behind_views(given), depth - 1)


def _elements_of(stored: Term) -> list[Term]:
    """What an attribute holds: the elements of a list, or the value itself."""
    if stored.operation is OPAQUE and str(stored.detail).endswith("ParameterList"):
        stored = peel(stored.operands[-1])
    if stored.operation is SEQUENCE or stored.operation.name == "collect":
        return [*map(peel, stored.operands)]
    return [stored]


def _is_none(term: Term) -> bool:
    return term.operation is CONSTANT and term.detail is None


# The outputs of layers


def is_unbounded_output(context: Context, x: Term) -> bool:
    """Whether x is the output of a layer that only its weights bound: training makes it any size.

    Scaled, added up or split, passed to a function, or kept by the object; but not if a function
    with bounds was applied to it.
    """
    return _is_free(context, x, context.occurrence.scope.owner, _CALLS_DEEPEST)


def _is_free(context: Context, x: Term, owner: Scope | None, depth: int) -> bool:
    pending, seen = [x], set[int]()
    while pending and len(seen) < _PARTS_MOST:
        inner = behind_views(pending.pop())
        if inner.key in seen:
            continue
        seen.add(inner.key)
        operation = inner.operation
        if operation.name in _UNBOUNDED:
            pending.extend(inner.operands)
        elif operation.name == "div":
            if not is_relative(inner):
                pending.append(inner.operands[0])
        elif operation is CHOICE:
            pending.extend(_brought_about(context, inner))
        elif operation.name in _PRODUCTS:
            if any(map(_is_one_hot, inner.operands)):
                continue  # which only selects some of the weights
            if any(_is_weight(context, part) for part in inner.operands):
                return True
            pending.extend(inner.operands)
        elif operation is INPUT and depth > 0:
            given = passed_within(context, inner)
            if any(_is_free(context, part, of or owner, depth - 1) for part, of in given):
                return True
        elif operation is ATTRIBUTE and depth > 0:
            scope = class_of(context, inner.operands[0], owner)
            stored = stored_by(scope, str(inner.detail))
            if any(_is_free(context, part, scope, depth - 1) for part in stored):
                return True
        elif operation is OPAQUE and _gives_any(context, inner, owner, depth):
            return True
    return False


def _brought_about(context: Context, choice: Term) -> Iterator[Term]:
    """Yield the options of a choice that no settings of visible objects exclude."""
    for place, option in enumerate(choice.operands):
        if place >= len(choice.facts) or not is_excluded(context, choice.facts[place]):
            yield option


def is_relative(quotient: Term) -> bool:
    """Whether something is divided by a magnitude of itself: a norm, a deviation."""
    above, below = map(behind_views, quotient.operands)
    return any(
        measured.operation.name in _MAGNITUDES
        and any(part.key == above.key for part in walk(measured))
        for measured in walk(below)
    )


def _is_one_hot(term: Term) -> bool:
    inner = behind_views(term)
    return inner.operation.name == "one_hot" or str(inner.detail).endswith("one_hot")


def _is_weight(context: Context, term: Term) -> bool:
    leaves = _leaves_of(context, behind_views(term))
    if not all(is_only_differentiated(context, leaf) for leaf in leaves):
        return True
    return is_descended(context, term)


def _is_part_free(
    context: Context, part: Term, place: int, owner: Scope | None, depth: int
) -> bool:
    """Whether one of several results is free: a piece of something, or of what a call returns."""
    whole = peel(part.operands[0])
    pieces = _split_by(whole)
    if pieces is not None:
        return _is_free(context, pieces, owner, depth)
    for scope, returned in returned_by(context, whole, owner) if depth > 0 else ():
        is_several = returned.operation is SEQUENCE and place < len(returned.operands)
        given = returned.operands[place] if is_several else _split_by(returned)
        if given is not None and _is_free(context, given, scope, depth - 1):
            return True
    return False


def _split_by(call: Term) -> Term | None:
    """What a call such as `torch.chunk(x, 2)` or `x.unbind()` returns the pieces of."""
    if call.operation.name == "split":
        return call.operands[0]
    if call.operation is OPAQUE and (
        call.detail in _SPLITS or _SPLIT_FUNCTIONS.search(str(call.detail))
    ):
        return next((one for one in call.operands if peel(one).operation is not QUALIFIED), None)
    return None


def _gives_any(context: Context, call: Term, owner: Scope | None, depth: int) -> bool:
    what = str(call.detail)
    if not call.operands:
        return False
    if what.startswith("part "):
        return _is_part_free(context, call, int(what.removeprefix("part ")), owner, depth)
    if what == "comprehension" and depth > 0:
        kept = peel(call.operands[0])
        values = kept.operands[1:] if kept.detail == "unknown" else (kept,)  # behind their keys
        return any(_is_free(context, value, owner, depth - 1) for value in values)
    if not what.startswith("call"):
        return False
    takes_weights = _TAKES_WEIGHTS.search(what) is not None
    if takes_weights or _MAKES_WEIGHTS.search(what):
        if any(map(_is_one_hot, call.operands)):
            return False  # which only selects some of the weights
        if takes_weights:
            return any(_is_weight(context, one) for one in call.operands[1:4])
        return all(map(is_no_activation, call.operands[3:]))
    if any(is_affine(layer) for layer in layers_called(context, call, owner)):
        return True
    if depth == 0:
        return False
    made = returned_by(context, call, owner)
    return any(_is_free(context, returned, scope, depth - 1) for scope, returned in made)
