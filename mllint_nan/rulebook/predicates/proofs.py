"""Questions whose YES is a proof: what an audit asks before it leaves an operation out.

They are asked of an oracle that believes no names. Tensors are assumed to have elements.
"""

from __future__ import annotations

from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.masks import holds_conditions, is_slice
from mllint_nan.flow.unrecorded import stops_gradients
from mllint_nan.ir.kind import Kind
from mllint_nan.ir.term import (
    ATTRIBUTE,
    CONSTANT,
    FUNCTION,
    INPUT,
    OPAQUE,
    QUALIFIED,
    SEQUENCE,
    Term,
    behind_views,
    peel,
    walk,
)
from mllint_nan.rulebook.predicates.carried import CUTS_GRADIENT
from mllint_nan.rulebook.predicates.context import (
    Context,
    framework_of,
    proof,
    tells,
)
from mllint_nan.rulebook.predicates.members import Form

_ENDS_GRADIENTS: Final = CUTS_GRADIENT | {"zeros_like", "ones_like"}
"""Operations that pass no gradient to their operands, or exactly 0."""
_FACTORS_DEEPEST: Final = 8
_TEXTS: Final = frozenset(
    ("call builtins.str", "call pathlib.Path", "call os.path.join", "call format", "call join")
)


def proved(holds: bool) -> Truth:
    """YES if it holds, and UNKNOWN otherwise."""
    return Truth.YES if holds else Truth.UNKNOWN


def excludes_zero(context: Context, x: Term) -> bool:
    """Whether no value of x is 0, by its range or those of its factors, or of that under a root."""
    return _is_nonzero(context, x, _FACTORS_DEEPEST)


def _is_nonzero(context: Context, x: Term, depth: int) -> bool:
    term = peel(x)
    if context.value(term).can_be(0.0) is Truth.NO:
        return True
    name = term.operation.name
    if depth == 0 or name not in ("neg", "abs", "square", "sqrt", "mul"):
        return False
    return all(_is_nonzero(context, part, depth - 1) for part in term.operands)


def is_logarithm_of_share(x: Term) -> bool:
    """Whether this is `x - logsumexp(x)`, which is not above 0 but for rounding."""
    inner = behind_views(x)
    if inner.operation.name != "sub":
        return False
    subtracted = behind_views(inner.operands[1])
    return (
        subtracted.operation.name == "logsumexp"
        and behind_views(subtracted.operands[0]).key == behind_views(inner.operands[0]).key
    )


@tells(Form.PLAIN, is_proof=True)
def is_plain_arithmetic(context: Context, result: Term) -> Truth:
    """The result is made of plain Python numbers, which raise exceptions, or strings and paths."""
    term = peel(result)
    if term.written is not None and not term.written.path.startswith(("math.", "builtins.")):
        return Truth.UNKNOWN  # a function of NumPy returns infinities for numbers too
    return proved(
        all(context.kind(part) is Kind.NUMBER for part in term.operands)
        or any(map(is_text, term.operands))
    )


def is_text(term: Term) -> bool:
    """Whether a term is a string or a path."""
    inner = peel(term)
    if inner.operation is CONSTANT:
        return isinstance(inner.detail, str | bytes)
    return inner.operation is OPAQUE and str(inner.detail) in _TEXTS


@tells(Form.NO_TENSOR, is_proof=True)
def is_no_tensor(context: Context, result: Term) -> Truth:
    """Nothing shows that the operands are tensors: a remainder is usually one of integers."""
    term = peel(result)
    if term.written is not None:
        return Truth.UNKNOWN
    kinds = [context.kind(part) for part in term.operands]
    integer = all(context.value(part).integer for part in term.operands)
    return proved(integer or not any(kind in (Kind.TENSOR, Kind.ARRAY) for kind in kinds))


@proof
def is_undifferentiated(context: Context, x: Term) -> Truth:
    """No gradient reaches x: the framework takes none, `no_grad` is on, or all is constant."""
    occurrence = context.occurrence
    if framework_of(occurrence.term, context.analysis) == "numpy":
        return Truth.YES
    decorators = [part for scope in occurrence.scope.enclosing() for part in scope.decorators]
    if stops_gradients([*decorators[::-1], *occurrence.state.contexts]):
        return Truth.YES
    return proved(not _may_be_differentiated(context, x))


def _may_be_differentiated(context: Context, term: Term) -> bool:
    """Whether the term depends on anything that could require a gradient."""
    pending, seen = [term], set[int]()
    while pending:
        inner = peel(pending.pop())
        if inner.key in seen or context.kind(inner) is Kind.NUMBER:
            continue
        seen.add(inner.key)
        if inner.framework == "numpy" and inner.operation.kind != "leaf":
            continue
        if inner.operation in (INPUT, ATTRIBUTE, OPAQUE):
            return True
        if inner.operation in (CONSTANT, QUALIFIED, FUNCTION):
            continue
        if inner.operation.name in _ENDS_GRADIENTS or inner.operation.kind == "comparison":
            continue
        pending.extend(inner.children())
    return False


@tells(Form.FULL, is_proof=True)
def is_never_empty(context: Context, m: Term) -> Truth:
    """The mask m selects something: it is true everywhere, or `any` or `all` has tested it."""
    inner = behind_views(m)
    return proved(
        (inner.operation is CONSTANT and bool(inner.detail))
        or context.value(inner).lo > 0
        or any(
            fact.holds
            and peel(fact.test).operation.name in ("any", "all")
            and any(part.key == inner.key for part in walk(fact.test))
            for fact in context.facts
        )
    )


@tells(Form.INDEX, is_proof=True)
def is_no_mask(context: Context, m: Term) -> Truth:
    """The index m consists of integers, slices and new axes: only sizes decide what it selects."""
    pending = [m]
    while pending:
        inner = peel(pending.pop())
        if holds_conditions(inner):
            return Truth.UNKNOWN
        if inner.operation is SEQUENCE:
            pending.extend(inner.operands)
            continue
        is_place = is_slice(inner) or inner.operation in (CONSTANT, QUALIFIED)
        if is_place or context.value(inner).integer:
            continue
        if context.kind(inner) is not Kind.NUMBER:
            return Truth.UNKNOWN
    return Truth.YES
