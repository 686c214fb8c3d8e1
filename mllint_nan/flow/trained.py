"""What training moves: tensors that require a gradient, parameters, variables."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Final

from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.frameworks import registry
from mllint_nan.frameworks.differentiation import DRIVES, SCALES, STEPS, any_of
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
    constant_of,
    peel,
    walk,
)
from mllint_nan.naming import names

TRAINED: Final = "trained"
"""The detail of an opaque term that is its operand at first, and then what training makes of it."""
_MAKERS: Final = re.compile(
    r"(^|[. ])(Parameter|Variable|get_variable|add_weight|add_variable|param|Param|get_parameter)$"
)
_DATA: Final = frozenset(("torch.autograd.Variable", "torch.autograd.variable.Variable"))
"""The class in which PyTorch once wrapped all tensors."""
_STEPS: Final = re.compile(rf"(^|[. ]){any_of(STEPS)}$")
_MAPS: Final = re.compile(r"(^|\.)(tree_map|tree_multimap|tree\.map)$")
_OPTIMIZERS: Final = re.compile(r"(^|\.)(optim|optimizers?)\.(.+\.)?[A-Z]\w*$")
_OPTIMIZER_NAMES: Final = names("optimizer")
_DRIVES: Final = re.compile(rf"[. ]{any_of(DRIVES)}$")
_BACKWARD: Final = re.compile(rf"[. ]{any_of(SCALES)}$")
_REMEMBERED: Final = 4096
_CONSTRAINTS: Final = ("constraint", "kernel_constraint", "transform", "bijector")
_UNBOUNDED: Final = frozenset(("identity", "real", "affine", "shift"))
"""Constraints and transforms that let a parameter be any number."""
_KEPT_ABOVE: Final = frozenset(
    ("clip", "maximum", "minimum", "abs", "square", "relu", "exp", "softplus", "sigmoid", "sqrt")
)
"""Operations whose results are written back into a parameter to keep it within bounds."""


@lru_cache(_REMEMBERED)
def concerns_training(called: str) -> bool:
    """Whether a call may make, pass on, move or differentiate what is trained."""
    is_call = called.startswith("call ")
    of_one = (makes_parameter, is_optimizer, takes_step, _maps, _may_take_gradients)
    return is_call and any(asked(called) for asked in of_one)


@lru_cache(_REMEMBERED)
def makes_parameter(called: str) -> bool:
    """Whether a call, such as `call a.b.Parameter`, gives something that is trained."""
    name = called.removeprefix("call ")
    return called.startswith("call ") and bool(_MAKERS.search(name)) and name not in _DATA


def restraint(called: str, arguments: Arguments) -> str | None:
    """Return what keeps a parameter constant or within bounds, by the arguments that make it.

    "frozen", the name of a constraint, or "constraint" if its name is not known; else `None`.
    """
    keywords = arguments.keywords
    for name in ("requires_grad", "trainable"):
        if name in keywords and constant_of(keywords[name]) is not True:
            return "frozen"
    is_positional = called.endswith((".Parameter", ".Variable")) and len(arguments.positional) > 1
    if is_positional and constant_of(arguments.positional[1]) is False:
        return "frozen"
    if any(isinstance(constant_of(part), int) for part in _initial(called, arguments)):
        return "frozen"  # a whole number has no gradient
    constraint = _constraint(called, arguments)
    if constraint is None:
        return None
    inner = peel(constraint)
    if inner.operation is CONSTANT:
        return None if inner.detail is None else str(inner.detail)
    name = str(inner.detail).rpartition(".")[2] or "constraint"
    return None if name.lower() in _UNBOUNDED else name


def _constraint(called: str, arguments: Arguments) -> Term | None:
    """Return the argument that keeps a parameter in a range: a constraint, or a map into the range.

    GPflow takes the map in second place, where the frameworks take whether it has a gradient.
    """
    found = [arguments.keywords[name] for name in _CONSTRAINTS if name in arguments.keywords]
    if found:
        return found[0]
    own = registry.framework_of(called.removeprefix("call ")) is None
    is_second = called.endswith((".Param", ".Parameter")) and len(arguments.positional) > 1
    second = arguments.positional[1] if own and is_second else None
    return second if second is not None and peel(second).operation is not CONSTANT else None


def _initial(called: str, arguments: Arguments) -> tuple[Term, ...]:
    return arguments.positional[:1] if called.endswith((".Parameter", ".Variable")) else ()


@lru_cache(_REMEMBERED)
def is_optimizer(called: str) -> bool:
    """Whether a call makes an optimizer, which moves the tensors that it is given."""
    path = called.removeprefix("call ")
    return bool(_OPTIMIZERS.search(path)) and registry.framework_of(path) is not None


@lru_cache(_REMEMBERED)
def takes_step(called: str) -> bool:
    """Whether a call moves parameters."""
    return called.startswith("call ") and bool(_STEPS.search(called.removeprefix("call ")))


def _may_take_gradients(called: str) -> bool:
    return _DRIVES.search(called) is not None or _BACKWARD.search(called) is not None


def takes_gradients(called: str, receiver: Term | None, arguments: Arguments) -> bool:
    """Whether a call is given a loss to differentiate, as in `optimizer.step(loss)`.

    A schedule of learning rates is given a loss too, but only looks at it.
    """
    if not called.startswith("call ") or not arguments.positional:
        return False
    if _BACKWARD.search(called):
        return True
    return receiver is not None and bool(_DRIVES.search(called)) and is_an_optimizer(receiver)


def is_an_optimizer(term: Term) -> bool:
    """Whether a term was made as an optimizer, or is named like one."""
    inner = peel(term)
    if inner.operation is OPAQUE and is_optimizer(str(inner.detail)):
        return True
    while inner.operation.name == "subscript":
        term, inner = inner.operands[0], peel(inner.operands[0])
    called = (term.detail, inner.detail if inner.operation in (ATTRIBUTE, INPUT) else None)
    return any(isinstance(name, str) and _OPTIMIZER_NAMES.search(name) for name in called)


def maps_update(called: str, arguments: Arguments) -> bool:
    """Whether a call is like `tree_map(lambda p, g: p - rate * g, params, grads)`."""
    return len(arguments.positional) > 2 and _maps(called)


def _maps(called: str) -> bool:
    return bool(_MAPS.search(called))


def handed(arguments: Arguments) -> list[Term]:
    """The tensors that an optimizer is given, in lists or in dictionaries of lists."""
    found: list[Term] = []
    pending = [*arguments.everything()]
    while pending:
        inner = peel(pending.pop())
        if inner.operation is SEQUENCE or (inner.operation is OPAQUE and inner.detail == "dict"):
            pending.extend(inner.operands)
        elif inner.operation is not CONSTANT:
            found.append(inner)
    return found


def origins_of(term: Term) -> list[Term]:
    """A tensor, and its options if it is a choice: before a loop, or on one of several paths."""
    inner = peel(term)
    return [inner, *map(peel, inner.operands)] if inner.operation is CHOICE else [inner]


def is_made(term: Term) -> bool:
    """Whether a tensor is made of numbers and random draws alone, so that it starts as written."""
    return all(
        part.operation in (CONSTANT, SEQUENCE, QUALIFIED, REFERENCE)
        or part.operation.kind != "leaf"
        for part in walk(term)
    )


def keeps_in_bounds(written: Term) -> bool:
    """Whether a value written back into a parameter is bounded by the operation that makes it."""
    return peel(written).operation.name in _KEPT_ABOVE
