"""Where no gradient is recorded: in contexts, below decorators, and in what is returned there."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from mllint_nan.flow.containers import DICT
from mllint_nan.flow.regions import is_switched_off
from mllint_nan.frameworks import registry
from mllint_nan.ir import program as ir
from mllint_nan.ir.term import (
    ATTRIBUTE,
    OPAQUE,
    QUALIFIED,
    SEQUENCE,
    Term,
    constant_of,
    peel,
    walk,
)

if TYPE_CHECKING:
    from mllint_nan.flow.names import Names

_NO_GRADIENT: Final = frozenset(
    (
        "tensorflow.custom_gradient",
        "jax.custom_jvp",
        "jax.custom_vjp",
        "jax.custom_gradient",
        "torch.no_grad",
        "torch.inference_mode",
        "torch.autograd.inference_mode",
        "torch.autograd.grad_mode.inference_mode",
        "torch.autograd.no_grad",
        "torch.autograd.grad_mode.no_grad",
    )
)
_SETS_GRADIENTS: Final = frozenset(
    (
        "torch.set_grad_enabled",
        "torch.autograd.set_grad_enabled",
        "torch.autograd.grad_mode.set_grad_enabled",
        "torch.enable_grad",
        "torch.autograd.enable_grad",
        "torch.autograd.grad_mode.enable_grad",
    )
)
CUSTOM_GRADIENTS: Final = re.compile(r"(^|\.)(custom_(gradient|jvp|vjp)|def_?(jvp|vjp)s?)$")
_CONTEXTS: Final = frozenset(("no_grad", "inference_mode", "autocast"))
"""The last names of contexts that are decorators, too."""
_MAKES_TRAINED: Final = ("requires_grad_", "Parameter")


def runs_within(function: ir.Function) -> ir.Block:
    """The body of a function, within the contexts that its decorators enter for each call."""
    entered = tuple([(one, None) for one in function.decorators if _enters(one)])
    return (ir.With(function.site, entered, function.body),) if entered else function.body


def _enters(decorator: ir.Expression) -> bool:
    named = decorator.callee if isinstance(decorator, ir.Call) else decorator
    return isinstance(named, (ir.Name, ir.Attribute)) and named.name in _CONTEXTS


def only_enters(decorator: Term) -> bool:
    """Whether a decorator only enters a context that changes no value for each call."""
    inner = peel(decorator)
    return is_switched_off(inner) or (
        inner.operation in (QUALIFIED, OPAQUE)
        and str(inner.detail).startswith(("torch.", "call torch."))
        and stops_gradients((inner,))
        and not any(constant_of(one) is False for one in inner.operands[1:])
    )


def unrecorded(names: Names, term: Term) -> Term:
    """What a call returns that is computed where no gradient is recorded.

    A parameter that it returns as it is can still be trained, and so is a new one. What is written
    in place may be a part of something that is differentiated.
    """
    inner = peel(term)
    if inner.operation is SEQUENCE:
        parts = tuple([unrecorded(names, one) for one in inner.operands])
        return names.build.leaf(SEQUENCE, inner.detail, parts)
    if inner.operation is OPAQUE and inner.detail == DICT:
        return names.opaque(DICT, tuple([unrecorded(names, one) for one in inner.operands]), None)
    if inner.operation is OPAQUE:
        is_call = str(inner.detail).startswith("call ")
        if not is_call or str(inner.detail).endswith(_MAKES_TRAINED):
            return term
    elif inner.operation.kind == "leaf" or inner.operation.name == "detach":
        return term
    if any(part.written is not None and part.written.inplace for part in walk(inner)):
        return term
    return names.operation("detach", (term,), None, framework=inner.framework)


def stops_gradients(entered: Sequence[Term]) -> bool:
    """Whether these contexts and decorators keep gradients from what is inside them.

    They are ordered from the outermost to the innermost; the innermost that decides wins.
    """
    for term in reversed(entered):
        for part in walk(term):
            if part.operation not in (QUALIFIED, OPAQUE, ATTRIBUTE):
                continue
            name = registry.canonical_path(str(part.detail).removeprefix("call "))
            if name in _SETS_GRADIENTS:
                return any(constant_of(argument) is False for argument in part.operands[1:])
            if name in _NO_GRADIENT or CUSTOM_GRADIENTS.search(name) or name == "stop_recording":
                return True
    return False
