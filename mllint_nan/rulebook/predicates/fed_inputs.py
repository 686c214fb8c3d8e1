"""Inputs of TensorFlow 1 graphs and Keras models, and values that a session only fetches."""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from typing import Final

from mllint_nan.flow.state import Analysis
from mllint_nan.ir.term import OPAQUE, SEQUENCE, Term, peel
from mllint_nan.naming import names

_PLACEHOLDERS: Final = re.compile(r"^call tensorflow\.(\w+\.)*placeholder(_with_default)?$")
_INPUTS: Final = re.compile(r"^call (tensorflow|keras)\.(\w+\.)*(Input|InputLayer)$")
_SESSIONS: Final = names("session")
_GRADIENTS: Final = re.compile(r"(^|[._ ])(gradients?|grads?|jacobian)$")
_NESTED_DEEPEST: Final = 3


def is_fed(analysis: Analysis, term: Term) -> bool:
    """Whether a term is a placeholder by which nothing is differentiated."""
    if term.operation is not OPAQUE or not _PLACEHOLDERS.search(str(term.detail)):
        return False
    return not _is_differentiated_by(analysis, term.key, _NESTED_DEEPEST)


def _is_differentiated_by(analysis: Analysis, key: int, depth: int) -> bool:
    return any(
        consumer.operation.name == "gradient"
        or (consumer.operation is OPAQUE and _GRADIENTS.search(str(consumer.detail)) is not None)
        or (
            consumer.operation is SEQUENCE
            and depth > 0
            and _is_differentiated_by(analysis, consumer.key, depth - 1)
        )
        for consumer in analysis.consumers.get(key, ())
    )


def takes_inputs(analysis: Analysis, layer: Term) -> bool:
    """Whether a layer is the first of a Keras model, wherever it is used."""
    uses = analysis.consumers.get(layer.key, ())
    return bool(uses) and all(_is_first(layer, use) for use in uses)


def _is_first(layer: Term, use: Term) -> bool:
    """Whether a layer is called with a model's inputs, or is the first of a list or a model."""
    if use.operation is SEQUENCE:
        return _is_next(layer, use.operands)
    if use.operation is not OPAQUE:
        return False
    if use.detail == "call add":
        model = peel(use.operands[0])  # the model as made so far
        return model.operation is SEQUENCE and _is_next(layer, model.operands)
    callee, *taken = use.operands or (use,)
    return callee.key == layer.key and bool(taken) and all(map(is_model_input, taken))


def _is_next(layer: Term, layers: Sequence[Term]) -> bool:
    """Whether only inputs come before a layer."""
    others = itertools.dropwhile(is_model_input, layers)
    return peel(next(others, layer)).key == peel(layer).key


def is_model_input(term: Term) -> bool:
    """Whether a term is `keras.Input(shape)`, which stands for the data of a model."""
    inner = peel(term)
    return inner.operation is OPAQUE and _INPUTS.search(str(inner.detail)) is not None


def is_only_fetched(analysis: Analysis, key: int, depth: int = _NESTED_DEEPEST) -> bool:
    """Whether only a session reads a value, alone or in lists: what comes out is a number."""
    consumers = analysis.consumers.get(key, ())
    return (
        depth > 0
        and bool(consumers)
        and all(
            _fetches(consumer)
            or (
                consumer.operation is SEQUENCE
                and is_only_fetched(analysis, consumer.key, depth - 1)
            )
            for consumer in consumers
        )
    )


def _fetches(call: Term) -> bool:
    """Whether a call is `session.run(...)`."""
    if call.operation is not OPAQUE or call.detail != "call run" or not call.operands:
        return False
    receiver = call.operands[0]
    inner = peel(receiver)
    return any(
        isinstance(name, str) and _SESSIONS.search(name) is not None
        for name in (receiver.detail, inner.detail)
    )
