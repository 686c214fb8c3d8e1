"""Source text to terms, and terms to text with every variable replaced by its value."""

from __future__ import annotations

from textwrap import dedent

from mllint_nan.domains.value import Value
from mllint_nan.flow.formats import dtype_of
from mllint_nan.flow.interpreter import Interpreter
from mllint_nan.flow.oracle import Oracle
from mllint_nan.flow.state import Occurrence
from mllint_nan.ir.term import CONSTANT, INPUT, QUALIFIED, Term, peel
from mllint_nan.syntax.lower import lower_module
from mllint_nan.syntax.source import Source

TORCH = "import torch\nimport torch.nn.functional as F\n"
TENSORFLOW = "import tensorflow as tf\n"
JAX = "import jax\nimport jax.numpy as jnp\n"
NUMPY = "import numpy as np\n"


def analysed(text: str, imports: str = TORCH) -> Interpreter:
    """The state at the end of a module with these imports."""
    interpreter = Interpreter()
    interpreter.run_module(lower_module(Source(imports + dedent(text)).module))
    return interpreter


def spelled(term: Term) -> str:
    """`add(softmax(x, axis=-1), 1)`: what a term computes, references looked through"""
    inner = peel(term)
    if inner.operation in (CONSTANT, INPUT, QUALIFIED):
        return str(inner.detail)
    name = inner.operation.name
    if name in ("opaque", "attribute", "function", "layer"):
        return name
    inside = [spelled(operand) for operand in inner.operands]
    inside += [f"{key}={spelled(value)}" for key, value in inner.settings.items()]
    return f"{name}({', '.join(inside)})"


def named(name: str, text: str) -> str:
    """What a variable of the module holds at its end."""
    term = analysed(text).state.environment.lookup(name)
    assert term is not None
    return spelled(term)


def occurrence(interpreter: Interpreter, operation: str) -> Occurrence:
    """The first place where an operation is computed."""
    found = interpreter.analysis.occurrences
    return next(place for place in found if place.term.operation.name == operation)


def logged(text: str) -> str:
    """What the first logarithm is taken of."""
    return spelled(occurrence(analysed(text), "log").term.operands[0])


def value_logged(text: str, imports: str = TORCH) -> Value:
    """The abstract value of what the first logarithm is taken of, under the facts there."""
    interpreter = analysed(text, imports)
    place = occurrence(interpreter, "log")
    oracle = Oracle(interpreter.build, interpreter.analysis)
    return oracle.value(place.term.operands[0], place.state.facts)


def format_logged(text: str, imports: str = TORCH) -> str:
    """The float format of what the first logarithm is taken of."""
    return dtype_of(occurrence(analysed(text, imports), "log").term.operands[0])
