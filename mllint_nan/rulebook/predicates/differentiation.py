"""Whether something is differentiated through a match: by the file, its names and the project."""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.facts import is_evaluating
from mllint_nan.flow.state import Analysis, Occurrence, Scope
from mllint_nan.flow.unrecorded import CUSTOM_GRADIENTS, stops_gradients
from mllint_nan.frameworks.differentiation import TRANSFORMS, any_of
from mllint_nan.ir.term import (
    ATTRIBUTE,
    LAYER,
    OPAQUE,
    QUALIFIED,
    SEQUENCE,
    Term,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.context import (
    Context,
    framework_of,
    is_self,
    stored_in,
)
from mllint_nan.rulebook.predicates.endings import as_written, ends_of_match
from mllint_nan.rulebook.predicates.one_number import is_loss
from mllint_nan.rulebook.predicates.parameters import is_trained_leaf
from mllint_nan.rulebook.predicates.passed_functions import is_handed_to_train
from mllint_nan.rulebook.predicates.untrained import (
    CALLERS_DEEPEST,
    callers_of,
    differentiates_functions,
)
from mllint_nan.training import FIRST, NOT_IN_SIGHT, REST, Training, TrainingUse

LAYERS: Final = re.compile(r"^call (torch\.nn|keras\.layers|tensorflow\.keras\.layers)\.")
_HANDED: Final = re.compile(rf"\bjax\.{any_of(TRANSFORMS)}$")
"""Transformations that differentiate the function that they are passed."""


def is_trained(context: Context, x: Term) -> bool:
    """Whether something is trained through the match, or not all of its uses are visible.

    If all uses of a definition are visible, only what it does itself, or is derived from, can speak
    for training against them. If programs are visible and no gradient leads here, that it is part
    of a loss and what its file shows can do so, too. For a function within a function, what it is
    passed to is asked first.
    """
    training = training_of(context).training
    handed = is_handed_to_train(context, of_inner=training is Training.THROUGH)
    if handed is not Truth.UNKNOWN:
        return handed is Truth.YES
    if training not in (Training.BESIDE, Training.ELSEWHERE):
        return True
    if _trains_itself(context.analysis, context.occurrence.scope):
        return True
    if training is Training.BESIDE:
        return False
    if _is_of_loss(context.analysis, context.occurrence.scope, CALLERS_DEEPEST):
        return True
    # The graph has followed the call; JAX differentiates functions, and not what they close over.
    is_of_jax = framework_of(context.occurrence.term, context.analysis) == "jax"
    is_called = not is_of_jax and _is_called_in_training(context)
    return is_called or _shows_training(context, x)


def training_of(context: Context) -> TrainingUse:
    """How the project trains through the definition that contains a match."""
    name = definition_of(context.occurrence.scope)
    return context.analysis.trained(f"{name}{_part_given(context)}") if name else NOT_IN_SIGHT


def definition_of(scope: Scope) -> str:
    """The definition that contains a scope; for a lambda of a module, the name it is bound to."""
    name, module = scope.definition, scope.parent
    if name != scope.name or name != "<lambda>" or module is None or module.final is None:
        return name
    bound = ((one, module.final.lookup(one)) for one in sorted(module.assigned))
    return next((one for one, term in bound if term is not None and term.key == scope.key), name)


def _part_given(context: Context) -> str:
    """Which of a function's several results the match goes into, if into no other; else empty."""
    scope = context.occurrence.scope
    returned = [peel(one) for one in scope.returned]
    is_inner = scope.parent is None or scope.parent.kind == "function"
    if is_inner or not returned or any(one.operation is not SEQUENCE for one in returned):
        return ""
    ends = ends_of_match(context, context.occurrence.term)
    if ends.is_open or ends.stored or ends.inner or ends.returned != [scope]:
        return ""
    key = as_written(context, context.occurrence.term).key
    places = {
        min(place, 1)
        for one in returned
        for place, value in enumerate(one.operands)
        if any(part.key == key for part in walk(value))
    }
    return (FIRST, REST)[places.pop()] if len(places) == 1 else ""


def shows_training(context: Context, x: Term) -> bool:
    """Whether the file or the project shows that something is trained through the match."""
    return file_shows_training(context, x) or training_of(context).training is Training.THROUGH


def is_differentiated_in_sight(context: Context) -> bool:
    """Whether visible code takes a gradient through the match; names are no evidence."""
    if training_of(context).training is Training.THROUGH or _is_called_in_training(context):
        return True
    return _is_reached_by_gradients(context.analysis, context.occurrence.scope, CALLERS_DEEPEST)


def _is_reached_by_gradients(analysis: Analysis, scope: Scope, depth: int) -> bool:
    """Whether a scope, or a caller of it, takes gradients or is passed to what takes them."""
    if scope.kind == "module":
        return scope.trains_here
    if any(_takes_gradients(analysis, outer) for outer in scope.enclosing()):
        return True
    return depth > 0 and any(
        _is_reached_by_gradients(analysis, caller.scope, depth - 1)
        for caller in callers_of(analysis, scope)
    )


def _takes_gradients(analysis: Analysis, outer: Scope) -> bool:
    """Whether a scope takes gradients itself, or is passed to what takes them."""
    if outer.kind == "function" and outer.trains and not differentiates_functions(analysis):
        return True
    return _is_handed_on(analysis, outer)


def _is_handed_on(analysis: Analysis, outer: Scope) -> bool:
    """Whether a scope is passed to something that differentiates functions."""
    return any(
        consumer.operation is OPAQUE and _HANDED.search(str(consumer.detail))
        for consumer in analysis.consumers.get(outer.key, ())
    )


def file_shows_training(context: Context, x: Term) -> bool:
    """Whether the file alone shows that something is trained through the match."""
    return _is_called_in_training(context) or _shows_training(context, x)


def _shows_training(context: Context, x: Term) -> bool:
    """Whether the file shows it by what it defines, and not by a call."""
    return _serves_training(context.analysis, context.occurrence.scope, CALLERS_DEEPEST) or any(
        is_learned(context, part) for part in walk(x)
    )


def _is_called_in_training(context: Context) -> bool:
    """Whether the visible call whose arguments are judged is in code that takes gradients."""
    call = context.occurrence.call
    return call is not None and any(outer.trains for outer in call.caller.enclosing())


def _trains_itself(analysis: Analysis, scope: Scope) -> bool:
    """Whether a scope is made to be trained through or takes gradients, apart from its class.

    JAX differentiates the functions that are passed to it, not those that pass them.
    """
    for outer in scope.enclosing():
        if outer.kind == "module":
            continue
        if _takes_gradients(analysis, outer):
            return True
    return False


def _is_of_loss(analysis: Analysis, scope: Scope, depth: int) -> bool:
    """Whether a scope is a loss, by what it returns, or is called by one."""
    return is_loss(analysis, scope) or (
        depth > 0
        and any(
            _is_of_loss(analysis, caller.scope, depth - 1) for caller in callers_of(analysis, scope)
        )
    )


def _serves_training(analysis: Analysis, scope: Scope, depth: int) -> bool:
    """Whether a scope is a loss, takes gradients, or is called by such a scope."""
    if is_loss(analysis, scope):
        return True
    for outer in scope.enclosing():
        if (
            outer.trains
            and (outer.kind != "module" or outer is scope)
            # JAX differentiates the functions that are passed to it, not those that pass them.
            and (outer.kind == "class" or not differentiates_functions(analysis))
        ):
            return True
        if _is_handed_on(analysis, outer):
            return True
    return depth > 0 and any(
        outer.kind == "function" and _serves_training(analysis, caller.scope, depth - 1)
        for outer in scope.enclosing()
        for caller in analysis.callers.get(outer.key, ())
        if outer not in caller.scope.enclosing()
        and (caller.scope.kind != "module" or caller.scope.trains_here)
    )


def is_learned(context: Context, term: Term) -> bool:
    """Whether a term is a model's parameter or a layer's output, possibly through attributes."""
    pending, seen = [term], set[int]()
    while pending:
        part = pending.pop()
        if part.key in seen:
            continue
        seen.add(part.key)
        if part.operation is ATTRIBUTE and is_self(part.operands[0]):
            stored = stored_in(context, str(part.detail))
            if any(map(_is_layer, stored)):
                return True
            pending += map(peel, stored)
        if is_trained_leaf(part):
            return True
        if part.operation is not OPAQUE or not str(part.detail).startswith("call"):
            continue
        if not part.operands:
            continue
        callee = peel(part.operands[0])
        if callee.operation is OPAQUE and LAYERS.search(str(callee.detail)):
            return True
        if is_self(callee):
            name = str(part.detail).removeprefix("call ").strip()
            if any(map(_is_layer, stored_in(context, name))):
                return True
        elif callee.operation is ATTRIBUTE:
            pending.append(callee)
    return False


def _is_layer(term: Term) -> bool:
    """Whether a term creates an object with weights: a library's layer, or a capitalised class."""
    inner = peel(term)
    if inner.operation is LAYER or inner.operation is not OPAQUE:
        return False
    name = str(inner.detail).removeprefix("call ").rpartition(".")[2]
    return str(inner.detail).startswith("call") and name[:1].isupper()


def without_gradient(analysis: Analysis, occurrence: Occurrence) -> bool:
    state = occurrence.state
    if is_evaluating(state.facts):
        return True
    return _is_cut(analysis, occurrence.scope, state.contexts, CALLERS_DEEPEST) or any(
        _defines_gradients(analysis, scope, CALLERS_DEEPEST)
        for scope in occurrence.scope.enclosing()
        if scope.kind == "function"
    )


def _defines_gradients(analysis: Analysis, scope: Scope, depth: int) -> bool:
    """Whether all callers of a function compute values or gradients by rules of their own."""
    if any(
        consumer.operation is OPAQUE
        and CUSTOM_GRADIENTS.search(str(consumer.detail).removeprefix("call "))
        for consumer in analysis.consumers.get(scope.key, ())
    ):
        return True
    callers = analysis.callers.get(scope.key, [])
    return (
        bool(callers)
        and depth > 0
        and all(
            _is_custom(caller.scope)
            or any(
                outer.kind == "function"
                and outer.key != scope.key
                and _defines_gradients(analysis, outer, depth - 1)
                for outer in caller.scope.enclosing()
            )
            for caller in callers
        )
    )


def _is_custom(scope: Scope) -> bool:
    """Whether a function, or one around it, is decorated as having its own gradient."""
    return any(
        CUSTOM_GRADIENTS.search(str(part.detail).removeprefix("call "))
        for outer in scope.enclosing()
        for decorator in outer.decorators
        for part in walk(decorator)
        if part.operation in (QUALIFIED, OPAQUE, ATTRIBUTE)
    )


def _is_cut(analysis: Analysis, scope: Scope, contexts: tuple[Term, ...], depth: int) -> bool:
    """Whether no gradient passes a scope, by a context or decorator, or at every call of it."""
    decorators = [decorator for outer in scope.enclosing() for decorator in outer.decorators]
    if stops_gradients([*decorators[::-1], *contexts]):
        return True
    callers = callers_of(analysis, scope)
    return (
        bool(callers)
        and depth > 0
        and all(
            caller.is_evaluating or _is_cut(analysis, caller.scope, caller.contexts, depth - 1)
            for caller in callers
        )
    )
