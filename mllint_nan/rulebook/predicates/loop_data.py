"""What a loop takes from data: a loader that the code makes, or what it gives to a model.

A function that takes gradients and gives the elements of an argument to a model, one by one, trains
on them. This is evidence, and no proof: a caller may pass anything.
"""

from __future__ import annotations

import re
from typing import Final

from mllint_nan.flow.state import Analysis, Scope
from mllint_nan.frameworks.data import JOINS, PREPARES, WRAPS
from mllint_nan.ir.term import ATTRIBUTE, INPUT, OPAQUE, QUALIFIED, Term, peel, walk
from mllint_nan.rulebook.predicates.context import Context, is_self, name_of

_PART: Final = re.compile(r"^(part \d+|subscript|element)$")
_ITERATES: Final = ("enumerate", "zip", "iter", "next", "cycle", "islice", "list")
"""Functions of Python whose results are elements of their arguments."""
_COMPUTES: Final = ("tensorflow.image.", "torchvision.transforms.")
"""Those of the modules that prepare data whose functions may be given anything."""
_ASKS: Final = "requires_grad_"
"""The method that has the gradient of a tensor computed."""
_UNKNOWN: Final = (OPAQUE, INPUT, ATTRIBUTE)
_FLAG: Final = ".requires_grad"
_STEPS_MOST: Final = 24


def data_of_loop(context: Context, term: Term) -> str:
    """Where the data come from of which a term is a part; empty if it may be something else."""
    analysis, scope = context.analysis, context.occurrence.scope
    inner, element = peel(term), None
    for _ in range(_STEPS_MOST):
        if is_asked_for(analysis, inner):
            return ""
        element = inner if inner.operation.name == "element" else element
        if not (inner.operation.kind == "view" or _is_part(inner)) or not inner.operands:
            break
        inner = peel(inner.operands[0])
    source = _iterated(inner)
    if source is None:
        return ""
    place = ""
    if _prepares(source):
        place = name_of(source) or str(source.detail).rpartition(".")[2]
    elif element is not None and scope.trains_here and _is_of(analysis, scope, source):
        is_given = _is_given_to_model(analysis, element)
        place = f"the loop over {source.detail}" if is_given else ""
    return "" if place and sets_flag(context, scope) else place


def _is_part(inner: Term) -> bool:
    return inner.operation is OPAQUE and _PART.search(str(inner.detail)) is not None


def sets_flag(context: Context, scope: Scope) -> bool:
    """Whether a function, or the code before the match, assigns `requires_grad` of something."""
    names = {name for name, _ in context.occurrence.state.environment.names()}
    return any(name.endswith(_FLAG) for name in names | scope.assigned)


def _iterated(inner: Term) -> Term | None:
    """What is iterated behind `enumerate`, `zip` of it alone, or a bar that shows the progress."""
    while inner.operation is OPAQUE and str(inner.detail).startswith("call "):
        if _prepares(inner):
            return inner
        path, given = str(inner.detail).removeprefix("call "), inner.operands[1:]
        is_through = path.partition(".")[0] in JOINS or path.rpartition(".")[2] in _ITERATES
        if not is_through or not given:
            return None
        inner = peel(given[0])
    return inner


def _prepares(call: Term) -> bool:
    """Whether a call makes a loader or a data set, and wraps nothing that is not plainly data."""
    callee = peel(call.operands[0]) if call.operation is OPAQUE and call.operands else call
    path = str(callee.detail)
    if callee.operation is not QUALIFIED or not path.startswith(PREPARES):
        return False
    if path.startswith(_COMPUTES):
        return False
    wrapped = (given for one in walk(call) if _wraps(one) for given in one.operands[1:])
    leaves = (one for given in wrapped for one in walk(given) if one.operation in _UNKNOWN)
    return all(one.framework == "numpy" for one in leaves)


def _wraps(term: Term) -> bool:
    name = str(term.detail).rpartition(".")[2]
    return term.operation is OPAQUE and str(term.detail).startswith("call ") and name in WRAPS


def is_asked_for(analysis: Analysis, inner: Term) -> bool:
    """Whether the code takes a gradient by a value, or may have it computed."""
    if inner.written is not None and inner.written.path == _ASKS:
        return True
    if inner.operation.name == "identity" and inner.written is None and inner.framework == "torch":
        # `Variable(x)`, perhaps with `requires_grad=True`; `tuple(x)` is nothing like it
        return peel(inner.operands[0]).operation.name not in ("sequence", "collect")
    return any(
        (use.operation.name == "gradient" and use.operands[0].key != inner.key)
        or (use.written is not None and use.written.path == _ASKS)
        or (use.operation is OPAQUE and str(use.detail) in ("call watch", f"call {_ASKS}"))
        for use in analysis.consumers.get(inner.key, ())
    )


def _is_of(analysis: Analysis, scope: Scope, source: Term) -> bool:
    """Whether a source is a parameter of the function itself, or an attribute of its object."""
    if source.operation is ATTRIBUTE:
        return is_self(source.operands[0])
    if source.operation is not INPUT or is_self(source):
        return False
    return analysis.parameters.get(source.key, (0, ""))[0] == scope.key


def _is_given_to_model(analysis: Analysis, element: Term) -> bool:
    """Whether a part of an element is an argument of a call of an argument or an attribute."""
    pending, seen = [element], set[int]()
    while pending and len(seen) < _STEPS_MOST:
        current = pending.pop()
        if current.key in seen:
            continue
        seen.add(current.key)
        for use in analysis.consumers.get(current.key, ()):
            if use.operation.kind == "view" or _is_part(use):
                pending.append(use)
            elif _is_model_call(use, current):
                return True
    return False


def _is_model_call(use: Term, given: Term) -> bool:
    if use.operation is not OPAQUE or not str(use.detail).startswith("call "):
        return False
    callee = peel(use.operands[0]) if use.operands else use
    is_argument = any(peel(one).key == given.key for one in use.operands[1:])
    return is_argument and callee.operation in (INPUT, ATTRIBUTE)
