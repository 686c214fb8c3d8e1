"""The leaves that a match is computed from: a grid, parameters, spreads of a distribution."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mllint_nan.ir.term import (
    ATTRIBUTE,
    CHOICE,
    CONSTANT,
    FUNCTION,
    INPUT,
    OPAQUE,
    Term,
    number_of,
    peel,
    walk,
    walk_into,
)
from mllint_nan.naming import names
from mllint_nan.rulebook.predicates.carried import is_of_list
from mllint_nan.rulebook.predicates.context import Context, kept
from mllint_nan.rulebook.predicates.parameters import is_trained_leaf
from mllint_nan.rulebook.predicates.zeros import DRAWS

_GRIDS: Final = frozenset(("linspace", "arange"))
_SPREADS: Final = names("spread_before_softplus")


def is_of_numbers(context: Context) -> bool:
    """Whether a match is computed only from numbers in its function, or a grid of settings.

    Numbers in the code are the same in each run: whoever wrote them has seen the result. What a
    call passes shows how the function is called, and of a grid of numbers the end points are known.
    """
    term = context.occurrence.term
    leaves = list(_leaves(term))
    has_grid = any(part.operation.name in _GRIDS for part in walk(term))
    if not leaves:
        parts = list(walk_into(term, lambda part: part.operands))
        is_other = has_grid or any(map(_is_no_number, parts))
        return not (context.occurrence.call or is_other) and any(map(_is_number, parts))
    return has_grid and all(leaf.operation is INPUT and leaf.framework == "math" for leaf in leaves)


def _is_no_number(part: Term) -> bool:
    """Whether a part is drawn, a function, or a text."""
    is_text = part.operation is CONSTANT and isinstance(part.detail, str)
    return part.operation.name in DRAWS or part.operation is FUNCTION or is_text


def _is_number(part: Term) -> bool:
    return number_of(part) is not None


def is_of_spreads(term: Term) -> bool:
    """Whether some leaf is named as variational layers name the parameter of a softplus."""
    return any(_SPREADS.search(str(leaf.detail)) for leaf in _leaves(term))


def is_of_parameters(context: Context, term: Term) -> bool:
    """Whether a term is computed only from parameters of the model."""
    leaves = list(_leaves(term))
    trained = {leaf.key for leaf in leaves if is_trained_leaf(leaf)}
    return bool(leaves) and all(
        _is_parameter(context, leaf) or _stands_for(leaf, trained) for leaf in leaves
    )


def _stands_for(leaf: Term, trained: set[int]) -> bool:
    """Whether a call is given a parameter, and used in its place: `v = averages.average(v)`."""
    is_call = leaf.operation is OPAQUE and str(leaf.detail).startswith("call ")
    return is_call and any(peel(one).key in trained for one in leaf.operands[-1:])


def _leaves(term: Term) -> Iterator[Term]:
    """Yield the leaves of a term: inputs, attributes, choices, and what is not understood."""
    for inner in walk_into(term, _below):
        if inner.operation in (INPUT, OPAQUE, ATTRIBUTE, CHOICE):
            yield inner


def _below(inner: Term) -> tuple[Term, ...]:
    if inner.operation in (INPUT, OPAQUE, ATTRIBUTE):
        return ()
    if inner.operation is CHOICE:
        return inner.operands
    if inner.operation.kind == "view" and not is_of_list(inner):
        return inner.operands[:1]  # the index does not matter
    return inner.children()


def _is_parameter(context: Context, term: Term) -> bool:
    if term.operation is CHOICE:
        return True  # its options are leaves, too
    if term.operation is OPAQUE:
        return is_trained_leaf(term)
    if _SPREADS.search(str(term.detail)):
        return True
    stored = [
        part
        for part in map(peel, kept(context, term))
        if not (part.operation is CONSTANT and part.detail is None)
    ]
    trained = [part for part in stored if is_trained_leaf(part)]
    # Where it is not trained, a detached copy is kept as a buffer.
    return bool(trained) and all(
        part in trained or part.operation.name == "detach" for part in stored
    )
