"""Predicates about batches: the last batch of an epoch may hold only one example."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.containers import SEVERAL
from mllint_nan.ir.term import (
    ATTRIBUTE,
    INPUT,
    OPAQUE,
    Term,
    behind_views,
    number_of,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.context import (
    Context,
    is_self,
    kept,
    known,
    passed_for,
    predicate,
    stored_in,
    tells,
)
from mllint_nan.rulebook.predicates.differentiation import file_shows_training, shows_training
from mllint_nan.rulebook.predicates.members import Role

_CALLS_DEEPEST: Final = 3
_ROWS_STAY: Final = frozenset(("identity", "cast", "detach", "neg", "abs", "square", "relu", "exp"))
"""Operations that keep the number of rows."""
_CONSTRUCTORS: Final = frozenset(("__init__", "__new__", "__post_init__", "build", "setup"))
_DROPS: Final = frozenset(("drop_last", "drop_remainder"))
_NORMALISES: Final = re.compile(r"^call torch\.nn\.(Lazy)?BatchNorm1d$")
_LAYER: Final = re.compile(rf"^({SEVERAL}$|call torch\.nn\.)")
_SIZES: Final = frozenset(("size", "shape"))


@predicate
def counts_examples(context: Context, x: Term, a: Term) -> Truth:
    """Axis a of x indexes the examples of training batches, which may hold only one.

    It is the first axis of what a loss or a layer receives, along which data loaders stack. NO
    where the program tests how many examples there are.
    """
    if number_of(a) != 0:
        return Truth.NO
    return _is_batch_of(context, x, x)


@tells(Role.BATCH_SIZE)
def is_batch_size(context: Context, n: Term) -> Truth:
    """n is the number of examples in a training batch, which may be 1."""
    inner = behind_views(n)
    if inner.operation is OPAQUE and inner.detail == "part 0":
        inner = peel(inner.operands[0])
        if inner.operation.name != "shape":
            return Truth.NO
    elif inner.operation.name != "size" or number_of(inner.settings.get("axis")) != 0:
        return Truth.NO
    return _is_batch_of(context, inner.operands[0], context.occurrence.term)


def _is_batch_of(context: Context, x: Term, trained: Term) -> Truth:
    if context.occurrence.scope.name in _CONSTRUCTORS or _is_statistic(context):
        return Truth.NO  # constructors receive settings, or data as a whole
    return known(
        _is_batch(context, x, _CALLS_DEEPEST)
        and not any(_asks_for_size(fact.test) for fact in context.facts)
        and not _drops_rest(context)
        and not _is_behind_batch_norm(context, x, _CALLS_DEEPEST)
        and _is_trained(context, trained)
    )


def _is_statistic(context: Context) -> bool:
    """Whether an object of a class without bases keeps the result: it is no layer, but a scaler."""
    owner, site = context.occurrence.scope.owner, context.occurrence.term.site
    if owner is None or site is None:
        return False
    if any(str(base.detail) != "builtins.object" for base in owner.bases):
        return False
    return any(peel(one).site is site for stored in owner.attributes.values() for one in stored)


def _drops_rest(context: Context) -> bool:
    """Whether a loader in the file drops the last batch of an epoch if it is incomplete."""
    return any(not _DROPS.isdisjoint(on) for on in context.analysis.switched_on.values())


def _is_behind_batch_norm(context: Context, x: Term, depth: int) -> bool:
    """Whether x has passed a PyTorch layer that refuses a single row in training mode."""
    for part in walk(x):
        if part.operation is INPUT and depth > 0:
            given = passed_for(context, part)
            if given and all(_is_behind_batch_norm(context, one, depth - 1) for one in given):
                return True
        elif part.operation is OPAQUE and any(map(_normalises, _layers_of(context, part))):
            return True
    return False


def _layers_of(context: Context, call: Term) -> Iterator[Term]:
    """Yield the called layer: made in the call itself, or stored in the called attribute."""
    what = str(call.detail)
    if what.startswith("call") and call.operands:
        callee = peel(call.operands[0])
        yield call
        yield from kept(context, callee)
        if is_self(callee):
            yield from stored_in(context, what.removeprefix("call "))


def _normalises(layer: Term) -> bool:
    return any(_NORMALISES.search(str(one.detail)) for one in walk(layer))


def _is_trained(context: Context, x: Term) -> bool:
    """Whether something is trained through x: by the project for a class, else by the file.

    A function may be given anything, such as a data set whose statistics it computes, to which no
    rows are added.
    """
    is_of_class = context.occurrence.scope.owner is not None
    return (shows_training if is_of_class else file_shows_training)(context, x)


def _asks_for_size(test: Term) -> bool:
    return any(part.operation.name in _SIZES for part in walk(test))


def _is_batch(context: Context, x: Term, depth: int) -> bool:
    """Whether x has the rows of input data, or of what a layer computes from such data."""
    inner = peel(x)
    if inner.operation is INPUT:
        given = passed_for(context, inner)
        return not is_self(inner) and (
            not given or (depth > 0 and any(_is_batch(context, part, depth - 1) for part in given))
        )
    if inner.operation is OPAQUE:
        return depth > 0 and any(_is_batch(context, part, depth - 1) for part in _fed(inner))
    if inner.operation.name in _ROWS_STAY:
        return _is_batch(context, inner.operands[0], depth)
    if inner.operation.name in ("sub", "div"):  # centred or scaled along the rows
        reduced = behind_views(inner.operands[1])
        return reduced.operation.kind == "reduction" and _is_batch(
            context, inner.operands[0], depth
        )
    return False


def _fed(call: Term) -> Iterator[Term]:
    """Yield the first argument of a call of a layer: kept by the object, or one of a chain."""
    if not str(call.detail).startswith("call") or len(call.operands) < 2:
        return
    callee = peel(call.operands[0])
    is_kept = is_self(callee) or (callee.operation is ATTRIBUTE and is_self(callee.operands[0]))
    is_layer = callee.operation is OPAQUE and bool(_LAYER.search(str(callee.detail)))
    if is_kept or is_layer:
        yield call.operands[1]


def is_on_training_path(context: Context) -> bool:
    """Whether the definitions that a match chose are those of a module in training mode.

    The other definitions are statistics that the module keeps for evaluation.
    """
    facts = context.found.facts
    return bool(facts) and all(fact.holds and _is_training_mode(fact.test) for fact in facts)


def _is_training_mode(test: Term) -> bool:
    inner = peel(test)
    if inner.operation is ATTRIBUTE:
        return inner.detail == "training" and is_self(inner.operands[0])
    return inner.operation is INPUT and inner.detail == "training"
