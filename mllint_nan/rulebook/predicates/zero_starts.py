"""What is 0 before the first step: parameters that start as zeros, outputs of such layers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mllint_nan.domains.truth import Truth
from mllint_nan.flow.state import Scope
from mllint_nan.flow.trained import TRAINED, makes_parameter
from mllint_nan.ir.term import (
    ATTRIBUTE,
    INPUT,
    OPAQUE,
    QUALIFIED,
    Term,
    behind_views,
    constant_of,
    number_of,
    peel,
)
from mllint_nan.rulebook.predicates.context import (
    Context,
    class_of,
    is_self,
    known,
    passed_within,
    stored_by,
    tells,
)
from mllint_nan.rulebook.predicates.members import Zero
from mllint_nan.rulebook.predicates.zeros import is_all_zeros, is_zero_by_operands

_KEEPS_ZERO: Final = frozenset(
    ("mul", "div", "neg", "square", "sqrt", "abs", "sum", "mean", "matmul", "dot", "norm")
)
_LAYERS: Final = re.compile(r"^call torch\.nn\.(Linear|Conv(Transpose)?[123]d)$")
_SETS_ZERO: Final = re.compile(r"^call torch\.nn\.init\.zeros_$")
_SETS_NUMBER: Final = re.compile(r"^call torch\.nn\.init\.constant_$")
_ZEROS: Final = re.compile(r"(^|[. ])(zeros_initializer|zeros_init|initializers\.[zZ]eros)$")
_SETS_CONSTANT: Final = re.compile(r"^call .*(constant_initializer|initializers\.[cC]onstant)$")
_WRITES: Final = re.compile(r"^(update|call (.*\.)?(assign|\w+_|\w*init\w*|load|restore|set_\w+))$")
_SETS_ALL: Final = re.compile(
    r"^call (.*\.)?(load_\w+|restore\w*|set_weights|apply|modules|named_modules|children"
    r"|named_children|parameters|named_parameters|state_dict)$"
)
"""Calls by which a program reaches all parameters of an object, to set them or to read them."""
_DEEPEST: Final = 6


def starts_at_zero(context: Context, x: Term) -> bool:
    """Whether x is 0 at the first step: it is made of parameters that start as zeros.

    Or a visible call passes such a value. Nothing in sight writes into them, or may set all
    parameters of their object.
    """
    owner = context.occurrence.scope.owner
    return _is_zero(context, x, owner, _DEEPEST) and not _are_all_set(context)


@tells(Zero.START)
def is_parameter_of_zeros(context: Context, x: Term) -> Truth:
    """The parameters that x is made of start as zeros, and nothing in sight sets them."""
    return known(starts_at_zero(context, x))


def is_zero_at_start(context: Context) -> bool:
    """Whether an operand of the match is 0 at the first step, as made or as passed."""
    operands = context.occurrence.term.operands
    return any(context.is_brought(one, 0.0) or starts_at_zero(context, one) for one in operands)


def _is_zero(context: Context, x: Term, owner: Scope | None, depth: int) -> bool:
    """Whether x is 0 at first; `owner` is the class whose methods compute it."""
    inner = behind_views(x)
    if depth == 0:
        return False
    if inner.operation is INPUT:
        given = passed_within(context, inner)
        return any(_is_zero(context, one, caller, depth - 1) for one, caller in given)
    if inner.operation is OPAQUE:
        return _is_zero_parameter(context, inner) or _is_zero_output(context, inner, owner)
    if inner.operation is ATTRIBUTE:
        stored = stored_by(class_of(context, inner.operands[0], owner), str(inner.detail))
        made = [peel(one) for one in stored]
        name = str(inner.detail)
        return (
            len(made) == 1
            and _is_zero_parameter(context, made[0])
            and not any(map(_is_write, _uses_of_attribute(context, name)))
        )
    return is_zero_by_operands(
        inner, _KEEPS_ZERO, lambda part: _is_zero(context, part, owner, depth - 1)
    )


def _is_zero_parameter(context: Context, made: Term) -> bool:
    """Whether a call makes a parameter of zeros, into which nothing is written."""
    if made.operation is not OPAQUE:
        return False
    called = str(made.detail)
    if called != TRAINED and not makes_parameter(called):
        return False
    first = behind_views(made.operands[-1 if called == TRAINED else min(1, len(made.operands) - 1)])
    uses = context.analysis.consumers.get(made.key, ())
    is_zero = is_all_zeros(first) or any(map(_is_zero_initializer, made.operands[1:]))
    return is_zero and not any(map(_is_write, uses))


def _is_zero_initializer(term: Term) -> bool:
    """Whether a term is `"zeros"`, `tf.zeros_initializer()` or the like, or a constant one of 0."""
    inner = behind_views(term)
    if inner.operation is OPAQUE and _SETS_CONSTANT.search(str(inner.detail)):
        return number_of(inner.operands[-1]) == 0
    is_called = inner.operation is OPAQUE or inner.operation is QUALIFIED
    if is_called and _ZEROS.search(str(inner.detail)):
        return True
    return bool(constant_of(inner) == "zeros")


def _is_write(use: Term) -> bool:
    return use.operation is OPAQUE and _WRITES.search(str(use.detail)) is not None


def _uses_of_attribute(context: Context, name: str) -> Iterator[Term]:
    for read in context.analysis.made:
        if read.operation is ATTRIBUTE and read.detail == name:
            yield from context.analysis.consumers.get(read.key, ())


def _is_zero_output(context: Context, call: Term, owner: Scope | None) -> bool:
    """Whether a layer is called whose weight and bias are both set to 0."""
    if not call.operands or not is_self(call.operands[0]):
        return False
    layers = [peel(one) for one in stored_by(owner, str(call.detail).removeprefix("call "))]
    if len(layers) != 1 or not _LAYERS.search(str(layers[0].detail)):
        return False
    has_bias = not any(constant_of(one) is False for one in layers[0].operands)
    return all(
        _is_set_to_zero(context, layers[0], name)
        for name in (("weight", "bias") if has_bias else ("weight",))
    )


def _is_set_to_zero(context: Context, layer: Term, name: str) -> bool:
    """Whether all that is written into a weight of a layer is 0, and something is."""
    consumers = context.analysis.consumers
    uses = [
        use
        for read in consumers.get(layer.key, ())
        if read.operation is ATTRIBUTE and read.detail == name
        for use in consumers.get(read.key, ())
    ]
    writes = [use for use in uses if _is_write(use) and not _is_bare(use)]
    return bool(writes) and all(map(_writes_zero, writes))


def _is_bare(use: Term) -> bool:
    """Whether a use only says that a call writes, which is a use of its own."""
    return use.detail == "update" and len(use.operands) == 1


def _writes_zero(write: Term) -> bool:
    called = str(write.detail)
    if called == "update":
        return is_all_zeros(behind_views(write.operands[1]))
    if _SETS_NUMBER.search(called):
        return number_of(write.operands[-1]) == 0
    return _SETS_ZERO.search(called) is not None


def _are_all_set(context: Context) -> bool:
    """Whether the program loads parameters, or an object goes through all of its own."""
    return any(
        made.operation is OPAQUE
        and _SETS_ALL.search(str(made.detail)) is not None
        and bool(made.operands)
        and (is_self(made.operands[0]) or not _only_reads(made))
        for made in context.analysis.made
    )


def _only_reads(call: Term) -> bool:
    """Whether a call lists the parameters of another object, as for an optimizer."""
    name = str(call.detail).rpartition(".")[2].removeprefix("call ")
    return name in ("parameters", "named_parameters", "state_dict") and (
        peel(call.operands[0]).operation in (INPUT, OPAQUE, ATTRIBUTE)
    )
