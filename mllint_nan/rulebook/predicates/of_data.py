"""Whether a match depends on data alone: nothing that visible calls pass is trained.

Nothing here relies on names. What is not understood may be trained.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from mllint_nan.flow.state import Analysis, Scope
from mllint_nan.frameworks.differentiation import NOT_OF_ARGUMENTS
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
    INPUT,
    OPAQUE,
    QUALIFIED,
    SEQUENCE,
    Term,
    constant_of,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.carried import CUTS_GRADIENT, holds_integers
from mllint_nan.rulebook.predicates.context import Context, is_self
from mllint_nan.rulebook.predicates.cut_gradients import is_made_without_gradient
from mllint_nan.rulebook.predicates.endings import as_written
from mllint_nan.rulebook.predicates.loop_data import data_of_loop, is_asked_for
from mllint_nan.training import NOWHERE, WITHIN

_OF_SHAPE: Final = frozenset(("shape", "dtype", "ndim", "device"))
_PARTS: Final = re.compile(r"^(part \d+|update|subscript|element|dict|or|and)$")
"""Opaque terms that are no calls and depend only on their operands."""
_OF_TENSORS: Final = frozenset(("T", "mT", "H", "mH", "real", "imag", "grad"))
_LISTS: Final = ("concat", "stack", "collect")
_GRADIENTS: Final = re.compile(
    r"^(call )?(jax|flax\.nnx|equinox)\.(filter_)?(grad|value_and_grad)$"
)
_TERMS_MOST: Final = 200
_ASKED_MOST: Final = 8
"""The most parameters and attributes that one match may depend on."""


def data_given(context: Context, x: Term) -> str:
    """The place of a call that passes data, if only data enters a match; else an empty string.

    If the match is judged with the arguments of a call, what any call passes counts.
    """
    result = context.occurrence.term
    start = x if context.occurrence.call is None else as_written(context, result)
    if start is result and context.occurrence.call is not None:
        return ""
    loops = set[str]()
    questions = _questions(context, start, loops)
    place = min(loops, default="") if questions is not None else ""
    for question in sorted(questions or ()):
        found = context.analysis.unrun(question).name
        if not found:
            return ""
        place = found if place in ("", NOWHERE) else place
    return place


def _questions(context: Context, start: Term, loops: set[str]) -> set[str] | None:
    """The questions to the project; `None` if something may be trained in any case.

    Adds to `loops` where the data come from that need no question.
    """
    analysis, is_asked = context.analysis, False
    found, seen, pending = set[str](), set[int](), [start]
    while pending:
        inner = peel(pending.pop())
        if inner.key in seen or context.kind(inner) is Kind.NUMBER:
            continue
        seen.add(inner.key)
        if is_made_without_gradient(analysis, inner):
            continue
        is_asked = is_asked or is_asked_for(analysis, inner)
        place = data_of_loop(context, inner)
        if place:
            loops.add(place)
            continue
        if inner.key in analysis.carried:  # the next round of a loop starts with it
            pending.append(analysis.carried[inner.key][0])
        field = _field(inner)
        if field:  # it may have been set after the object was passed
            found.add(f"{_path_of(context.occurrence.scope)}(.{field})")
        further = _made_of(inner)
        if further is None:
            question = _question(analysis, context.occurrence.scope, inner)
            given = [term for term, _ in analysis.passed(inner)] if inner.operation is INPUT else []
            if not question and not given:
                return None
            found |= {question} if not given else set()
            pending += given
        else:
            pending += further
        if len(seen) > _TERMS_MOST or len(found) > _ASKED_MOST:
            return None
    return None if loops and is_asked else found


def _made_of(inner: Term) -> Iterable[Term] | None:
    """The operands that a gradient goes on to; `None` if the project has to be asked."""
    operation = inner.operation
    if operation is CONSTANT or operation.name in CUTS_GRADIENT or operation.kind == "comparison":
        return ()
    if operation.name == "cast" and holds_integers(inner):
        return ()
    if operation in (CHOICE, SEQUENCE):
        return inner.operands
    if operation is ATTRIBUTE:
        if inner.detail in _OF_SHAPE:
            return ()
        return None if is_self(inner.operands[0]) else inner.operands
    if operation is OPAQUE:
        what = str(inner.detail)
        if _PARTS.search(what):
            return inner.operands
        return inner.operands[1:] if _is_of_library(inner) else None
    if operation is QUALIFIED:
        return () if inner.framework is not None else None
    if operation.kind == "leaf" or operation.name == "gradient":
        return None
    if operation.kind == "view" and operation.name not in _LISTS:
        return inner.operands[:1]
    return inner.children()


def _field(inner: Term) -> str:
    """The attribute or key by which part of an object is read; empty if it is no such part."""
    if inner.operation is ATTRIBUTE and not is_self(inner.operands[0]):
        return str(inner.detail) if inner.detail not in _OF_TENSORS else ""
    if inner.operation.name == "subscript":
        key = constant_of(inner.operands[1])
        return key if isinstance(key, str) and key.isidentifier() else ""
    return ""


def _is_of_library(call: Term) -> bool:
    """Whether a call is of a PyTorch or JAX function, which has nothing of its own to train."""
    callee = peel(call.operands[0]) if call.operands else call
    path = str(callee.detail)
    is_called = str(call.detail).startswith("call ") and callee.operation is QUALIFIED
    name = path.rpartition(".")[2]
    is_small = name[:1].islower() and name not in NOT_OF_ARGUMENTS
    return is_called and is_small and path.startswith(("torch.", "jax."))


def _question(analysis: Analysis, scope: Scope, inner: Term) -> str:
    """The question about a leaf: `spread(x)`, or `Net.forward(self.center)` for an attribute."""
    if inner.operation is ATTRIBUTE:
        name = _path_of(scope)
        return f"{name}(self.{inner.detail})" if name and scope.owner is not None else ""
    if inner.operation is not INPUT:
        return ""
    function, name = analysis.parameters.get(inner.key, (0, ""))
    own = analysis.functions.get(function)
    path = _path_of(own) if own is not None else ""
    mark = WITHIN if own is not None and _is_within_gradient(analysis, scope, own) else ""
    return f"{path}({mark}{name})" if path and name != "self" else ""


def _is_within_gradient(analysis: Analysis, scope: Scope, own: Scope) -> bool:
    """Whether a gradient is taken of a function within `own` that contains the scope."""
    for inner in scope.enclosing():
        if inner is own:
            return False
        uses = analysis.consumers.get(inner.key, ())
        made = (*uses, *(part for one in inner.decorators for part in walk(one)))
        if any(_GRADIENTS.search(str(one.detail)) for one in made):
            return True
    return False


def _path_of(scope: Scope) -> str:
    """The path of a function: `Net.forward`, or `main.loss` for an inner one; empty if unnamed."""
    names = [outer.name for outer in scope.enclosing() if outer.kind != "module"]
    is_named = scope.kind == "function" and all(name.isidentifier() for name in names)
    return ".".join(reversed(names)) if is_named and not scope.is_elsewhere else ""
