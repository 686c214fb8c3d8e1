"""Questions about training loops: what their calls do, and in which order."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.call_order import calls_after, calls_before, written_as
from mllint_nan.flow.names import TENSORS
from mllint_nan.flow.regions import autocast, autocast_is_settled
from mllint_nan.flow.state import Occurrence
from mllint_nan.flow.storage import path_of
from mllint_nan.flow.trained import is_optimizer
from mllint_nan.frameworks import registry
from mllint_nan.frameworks.differentiation import (
    BACKWARD,
    FITS,
    OF_LOSSES,
    SHOWS_TRAINING,
    any_of,
)
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
    INPUT,
    OPAQUE,
    QUALIFIED,
    REFERENCE,
    SEQUENCE,
    Term,
    behind_views,
    constant_of,
    peel,
    qualified,
    walk,
)
from mllint_nan.rulebook.predicates.context import Context, kept, known, tells
from mllint_nan.rulebook.predicates.members import Role, Step, Use
from mllint_nan.rulebook.predicates.tapes import is_on_tape

_CLIPPING: Final = frozenset(("clip_gradient_norm", "clip_gradient_value"))

_CHECKS: Final = re.compile(r"(^|[._ ])(is_?(nan|inf|finite)|assert\w*|check_numerics)$")
_HOOKS: Final = re.compile(
    r"(^|[. ])register_(full_backward_|tensor_)?(pre_|post_accumulate_grad_)?hook$"
)
_MAPS: Final = re.compile(r"(^|[. ])(tree_map|tree_multimap|tree\.map|map_structure)$")
_DIFFERENTIATES: Final = re.compile(r"(^|[. ])(value_and_grad|grad)$")
_FOLLOWED_DEEPEST: Final = 8
_TRAINS: Final = re.compile(
    rf"^call (\S+\.)?{any_of(BACKWARD | FITS | SHOWS_TRAINING | OF_LOSSES)}$"
)
_MODELS: Final = re.compile(r"(^|[. ])keras\.(.+\.)?(Sequential|Model|load_model)$")


# The scaler of mixed precision


@tells(Role.SCALER)
def is_gradient_scaler(context: Context, s: Term) -> Truth:
    """s scales losses before they are differentiated: a `GradScaler` that is not disabled."""
    made = [part for term in (s, *kept(context, peel(s))) for part in walk(term)]
    scalers = [one for one in made if str(one.detail).endswith("GradScaler")]
    if scalers:
        return known(not any(map(_is_disabled, scalers)))
    return known(any(_is_same(one.term.operands[0], s) for one in _scaled_losses(context)))


def _is_disabled(scaler: Term) -> bool:
    return any(constant_of(argument) is False for argument in scaler.operands)


def _scaled_losses(context: Context) -> Iterator[Occurrence]:
    """Yield the calls of the function that scale what is differentiated afterwards."""
    for one in _calls_of(context, "scale_loss"):
        consumers = context.analysis.consumers.get(one.term.key, ())
        if any(str(consumer.detail) == "call backward" for consumer in consumers):
            yield one


def _calls_of(context: Context, name: str) -> Iterator[Occurrence]:
    """Yield the calls of an operation in the function of the match."""
    for one in context.analysis.effects:
        if one.term.operation.name == name and one.scope is context.occurrence.scope:
            yield one


def _is_same(first: Term, second: Term) -> bool:
    return first.key == second.key or written_as(first) == written_as(second)


@tells(Step.LEFT_SCALED)
def is_left_scaled(context: Context, result: Term, s: Term, o: Term) -> Truth:
    """The gradients of o still carry the scale of s: nothing has unscaled them.

    UNKNOWN if a function of the file that is called unscales, or something is multiplied by the
    scale.
    """
    stepped = False
    for one in calls_before(context.analysis.effects, result):
        name = one.term.operation.name
        stepped = stepped or (name == "scaled_step" and _is_same(one.term.operands[0], s))
        if name == "unscale" and (not stepped or _is_same(one.term.operands[1], o)):
            return Truth.NO
    is_unknown = _has_unscaled(context) or _is_scale_applied(context)
    return Truth.UNKNOWN if is_unknown else Truth.YES


def _has_unscaled(context: Context) -> bool:
    """Whether the function calls another one of the file that unscales."""
    analysis, here = context.analysis, context.occurrence.scope
    unscaling = (one.scope for one in analysis.effects if one.term.operation.name == "unscale")
    return any(
        caller.scope is here
        for scope in unscaling
        for caller in analysis.callers.get(scope.key, ())
    )


def _is_scale_applied(context: Context) -> bool:
    """Whether the scale is read, and something is divided or multiplied by it."""
    for term in context.analysis.made:
        if term.operation is OPAQUE and term.detail == "call get_scale":
            uses = context.analysis.consumers.get(term.key, ())
            if any(use.operation.name in ("div", "mul") for use in uses):
                return True
    return False


@tells(Step.ONE_UNSCALING)
def needs_one_unscaling(context: Context, result: Term, s: Term) -> Truth:
    """No other clipping comes before this one, and exactly one optimizer steps with s."""
    before = calls_before(context.analysis.effects, result)
    if any(one.term.operation.name in _CLIPPING for one in before):
        return Truth.NO
    optimizers = {
        written_as(one.term.operands[1])
        for one in calls_after(context.analysis.effects, result)
        if one.term.operation.name == "scaled_step" and _is_same(one.term.operands[0], s)
    }
    return known(len(optimizers) == 1)


# Switches


@tells(Step.SWITCHED_ON)
def is_switched_on(context: Context, result: Term) -> Truth:
    """The call runs every time: NO behind a switch, UNKNOWN behind one that the source turns on.

    Also UNKNOWN if a later call takes it back.
    """
    switches = [fact for fact in context.facts if _is_switch(fact.test)]
    if any(not _is_written_out(fact.test) for fact in switches):
        return Truth.NO
    return Truth.UNKNOWN if switches or _is_taken_back(context, result) else Truth.YES


def _is_switch(test: Term) -> bool:
    """Whether somebody sets what is tested: a parameter, an option, an environment variable.

    Tests of the data, of the machine, or of whether the file is the program do not count.
    """
    return not any(
        part.operation.kind not in ("leaf", "comparison")
        or (part.operation is QUALIFIED and _is_of_the_run(str(part.detail)))
        for part in walk(test)
    )


def _is_of_the_run(path: str) -> bool:
    return path == "builtins.__name__" or registry.framework_of(path) in TENSORS


def _is_written_out(test: Term) -> bool:
    return all(part.operation in (CONSTANT, QUALIFIED, SEQUENCE) for part in walk(test))


def _is_taken_back(context: Context, result: Term) -> bool:
    return any(
        one.term.operation is result.operation
        and constant_of(one.term.settings.get("enabled")) is False
        for one in calls_after(context.analysis.effects, result)
    )


@tells(Step.OF_TRAINING)
def is_of_training(context: Context, result: Term) -> Truth:
    """The file trains: it creates an optimizer, fits a model, or takes the gradient of a loss.

    UNKNOWN if it does none of this: it may only compute values.
    """
    effects = (one.term for one in context.analysis.effects)
    return known(any(map(_trains, (*context.analysis.made, *effects)))).or_(Truth.UNKNOWN)


def _trains(made: Term) -> bool:
    if made.operation is not OPAQUE:
        return made.operation.name in ("gradient", "fit")
    called = str(made.detail)
    return _TRAINS.search(called) is not None or is_optimizer(called)


# Overflow in half precision


@tells(Step.UNSCALED)
def is_in_half_without_scaler(context: Context, result: Term) -> Truth:
    """The function computes in float16, where gradients overflow at 65504, and scales no loss."""
    if any(_calls_of(context, "scale_loss")):
        return Truth.NO
    here = context.occurrence.scope
    entered = {
        id(one.state.contexts): one.state.contexts[::-1]
        for one in (*context.analysis.occurrences, *context.analysis.effects)
        if one.scope is here and one.state.contexts
    }
    in_half = any(
        autocast("matmul", one) == "float16" and autocast_is_settled(one)
        for one in entered.values()
    )
    return Truth.YES if in_half else Truth.UNKNOWN


@tells(Step.SKIPPED)
def is_skipped_if_nonfinite(context: Context, result: Term) -> Truth:
    """A scaler unscales the gradients first, and skips the step if they are not finite."""
    effects = context.analysis.effects
    steps = [
        one.term for one in calls_after(effects, result) if one.term.operation.name == "scaled_step"
    ]
    unscaled = [
        one.term for one in calls_before(effects, result) if one.term.operation.name == "unscale"
    ]
    return known(
        any(_is_same(step.operands[0], one.operands[0]) for step in steps for one in unscaled)
    )


# Gradients that are replaced


@tells(Role.GRADIENT)
def is_gradient(context: Context, g: Term) -> Truth:
    """g is a gradient: from `p.grad`, a tape, `jax.grad`, or in a hook."""
    return known(_is_gradient(context, g, _FOLLOWED_DEEPEST))


def _is_gradient(context: Context, term: Term, depth: int) -> bool:
    inner = behind_views(term)
    if depth <= 0 or _is_read_as_gradient(term):
        return depth > 0
    what = str(inner.detail)
    if inner.operation.name == "gradient" or what == "call compute_gradients":
        return True
    if inner.operation is ATTRIBUTE and what == "grad":
        return True
    if inner.operation is INPUT:
        return _is_given_gradients(context, inner, depth)
    if inner.operation is CHOICE:
        return any(_is_gradient(context, one, depth - 1) for one in inner.operands)
    if inner.operation is not OPAQUE or not inner.operands:
        return False
    if what.startswith("part ") or what == "update" or _MAPS.search(what):
        return _is_gradient(context, inner.operands[-1 if _MAPS.search(what) else 0], depth - 1)
    made = qualified(inner.operands[0])
    return made.operation is OPAQUE and _DIFFERENTIATES.search(str(made.detail)) is not None


def _is_read_as_gradient(term: Term) -> bool:
    """Whether a value is read from an attribute `grad`, whatever was written there before."""
    while True:
        if path_of(term).endswith((".grad", ".grad.data")):
            return True
        if term.operation is not REFERENCE and term.operation.kind != "view":
            return False
        if not term.operands:
            return False
        term = term.operands[0]


def _is_given_gradients(context: Context, parameter: Term, depth: int) -> bool:
    """Whether the function of a parameter is a hook of a gradient, or mapped over gradients."""
    function, _ = context.analysis.parameters.get(parameter.key, (0, ""))
    for call in context.analysis.consumers.get(function, ()):
        what = str(call.detail)
        if call.operation is OPAQUE and _HOOKS.search(what):
            return True
        if call.operation is OPAQUE and _MAPS.search(what):
            trees = [one for one in call.operands if one.key != function]
            if any(_is_gradient(context, tree, depth - 1) for tree in trees):
                return True
    return False


@tells(Use.DIFFERENTIATED)
def is_differentiated_again(context: Context, g: Term) -> Truth:
    """The gradient g is differentiated again, as in a gradient penalty."""
    inner = behind_views(g)
    while inner.operation is OPAQUE and str(inner.detail).startswith("part "):
        inner = behind_views(inner.operands[0])
    created = constant_of(inner.settings.get("create_graph"))
    return known(is_on_tape(context.occurrence.state.contexts) or created is True)


@tells(Role.REPLACER)
def replaces_nan(context: Context, f: Term) -> Truth:
    """f is the function that replaces NaN with a number."""
    inner = qualified(f)
    if inner.operation is not QUALIFIED:
        return Truth.NO
    signatures = registry.functions(str(inner.detail))
    return known(any(one.operation.name == "nan_to_num" for one in signatures))


@tells(Step.UNANNOUNCED)
def is_unannounced(context: Context, result: Term) -> Truth:
    """No condition on the path tests for NaN: UNKNOWN where one does."""
    tested = (part for fact in context.facts for part in walk(fact.test))
    asked = any(
        part.operation.name in ("isnan", "isinf", "isfinite") or _CHECKS.search(str(part.detail))
        for part in tested
    )
    return Truth.UNKNOWN if asked else Truth.YES


# Models


@tells(Role.MODEL)
def is_trained_model(context: Context, m: Term) -> Truth:
    """m is a Keras model that the code creates or compiles."""
    if any(_MODELS.search(str(part.detail)) for part in walk(m) if part.operation is not INPUT):
        return Truth.YES
    if peel(m).operation is SEQUENCE and peel(m).framework == "keras":
        return Truth.YES
    compiled = (one for one in context.analysis.made if str(one.detail) == "call compile")
    return known(any(_is_same(one.operands[0], m) for one in compiled if one.operands))
