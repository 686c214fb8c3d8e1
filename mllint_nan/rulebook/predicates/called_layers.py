"""The layers and functions that a call may be a call of, and what they return."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mllint_nan.flow.applied_models import APPLIERS, MAPPERS
from mllint_nan.flow.containers import ELEMENT, is_container
from mllint_nan.flow.masks import is_slice
from mllint_nan.flow.state import Scope
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
    FUNCTION,
    INPUT,
    OPAQUE,
    SEQUENCE,
    Term,
    peel,
)
from mllint_nan.rulebook.predicates.context import (
    Context,
    class_of,
    is_self,
    passed_for,
    stored_by,
)

_AFFINE: Final = re.compile(
    r"^call (torch\.nn|(tensorflow\.)?(keras|compat\.v1|tf_keras)?\.?layers|keras\.layers"
    r"|tensorflow\.keras\.layers|flax\.(linen|nnx)|haiku)\."
    r"((Lazy)?(Bil|L)inear|(Lazy)?Conv(Transpose)?(\dd|\dD)?|Conv\dD(Transpose)?|Dense|DenseGeneral"
    r"|ConvTranspose|Einsum|EinsumDense|Embed(ding)?)$"
    r"|^call equinox\.nn\.(Linear|MLP|Conv(Transpose)?(\dd)?|Embedding)$"
    r"|^call (torch_geometric|dgl)\.nn\.(\w+\.)*\w*Conv$"
)
"""Layers whose outputs are bounded by nothing but their weights."""
_TAKES_ACTIVATION: Final = re.compile(r"\.layers\.|\.MLP$|^call dgl\.")
"""Those that apply a function to their outputs if they are given one."""
_FUNCTIONAL: Final = re.compile(r"^call (tensorflow\.)?keras\.(models\.)?Model$")
_OUTPUTS: Final = 2
"""The place of the outputs among the operands of a Keras model that is made of tensors."""
_ELEMENTS: Final = ("element", "subscript")
_VALUE_OF_ITEM: Final = "part 1"
_OF_DICTS: Final = ("call items", "call values")
_CONTAINERS_MOST: Final = 8
"""How many containers are searched for the layer that is called."""


def layers_called(context: Context, call: Term, owner: Scope | None) -> list[Term]:
    """The objects that a call may be a call of."""
    name = str(call.detail).removeprefix("call ").strip()
    callee = _behind_mappers(peel(call.operands[1 if _is_applied(call, name) else 0]))
    layers = [peel(term) for term in _kept(class_of(context, callee, owner), name)]
    if layers or is_self(callee):
        return layers
    return [peel(one) for one in _members(context, callee, owner)] or [callee]


def _is_applied(call: Term, name: str) -> bool:
    """Whether a call passes a module on to be called: `functional_call(model, params, x)`."""
    return name in APPLIERS and len(call.operands) > 1


def _behind_mappers(callee: Term) -> Term:
    """What a callee applies to each element along an axis: the model in `jax.vmap(model)`."""
    while str(callee.detail).removeprefix("call ") in MAPPERS and len(callee.operands) > 1:
        callee = peel(callee.operands[1])
    return callee


def _members(context: Context, callee: Term, owner: Scope | None) -> Iterator[Term]:
    """Yield the layers of a list, where a callee is one of these: after a loop, it is the last."""
    if callee.operation is CHOICE and callee.detail == ELEMENT:
        yield callee.operands[-1]
    elif callee.detail == _VALUE_OF_ITEM and peel(callee.operands[0]).operation.name == "element":
        yield from _last(context, peel(callee.operands[0]).operands[0], owner)
    elif callee.operation.name in _ELEMENTS and not any(map(is_slice, callee.operands[1:])):
        yield from _last(context, callee.operands[0], owner)


def _last(context: Context, container: Term, owner: Scope | None) -> Iterator[Term]:
    """Yield what may be the last element of a container."""
    pending = [container]
    for _ in range(_CONTAINERS_MOST):
        if not pending:
            break
        inner = peel(pending.pop())
        if inner.operation is ATTRIBUTE:
            stored = class_of(context, inner.operands[0], owner)
            pending.extend(stored_by(stored, str(inner.detail)))
        elif inner.operation is INPUT:
            pending.extend(passed_for(context, inner))
        elif inner.detail in _OF_DICTS:
            pending.extend(inner.operands[:1])
        elif inner.operation is CHOICE:
            pending.extend(inner.operands)
        elif inner.operation.name == "collect" or is_container(inner):
            yield from inner.operands[-1:]


def is_affine(layer: Term) -> bool:
    if layer.operation is not OPAQUE or not _AFFINE.search(str(layer.detail)):
        return False
    return not _TAKES_ACTIVATION.search(str(layer.detail)) or all(
        is_no_activation(part) for part in layer.operands[2:]
    )


def is_no_activation(setting: Term) -> bool:
    """Whether a setting is no activation; as keywords lose their names, any function may be one."""
    inner = peel(setting)
    return inner.operation is CONSTANT or inner.operation is OPAQUE or inner.operation is SEQUENCE


def _kept(owner: Scope | None, name: str) -> Iterator[Term]:
    """Yield what an attribute may be: for a constructor's parameter, what constructions pass."""
    for stored in stored_by(owner, name):
        inner = peel(stored)
        constructions = owner.made_with if owner is not None and inner.operation is INPUT else ()
        passed = [made[inner.detail] for made in constructions if made and inner.detail in made]
        yield from passed or [stored]


def returned_by(
    context: Context, call: Term, owner: Scope | None
) -> Iterator[tuple[Scope | None, Term]]:
    """Yield what a function or module of this file returns, if the call was not inlined."""
    if call.operation is not OPAQUE or not call.operands:
        return
    functions = context.analysis.functions
    for callee in layers_called(context, call, owner):
        if callee.operation is FUNCTION:
            scope = functions.get(callee.key)
            if scope is not None:
                yield from ((scope.owner, part) for part in map(peel, scope.returned))
        elif callee.operation is OPAQUE and callee.operands:
            if _FUNCTIONAL.search(str(callee.detail)) and len(callee.operands) > _OUTPUTS:
                yield None, peel(callee.operands[_OUTPUTS])
            made = peel(callee.operands[0])
            methods = context.analysis.called_by_object if made.operation is INPUT else {}
            for scope in methods.get(str(made.detail), ()):
                yield from ((scope.owner, part) for part in map(peel, scope.returned))
