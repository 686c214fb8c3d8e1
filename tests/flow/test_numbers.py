"""Which terms are numbers of Python's own: by what makes them, says so, or counts them."""

from __future__ import annotations

from textwrap import indent

import pytest

from mllint_nan.flow.numbers import Numbers, rests_on_parameters
from mllint_nan.ir.kind import Kind, of_operands, of_paths
from mllint_nan.ir.term import Term
from tests.flow.analysed import analysed

IMPORTS = """import math
import random
import numpy as np
import torch
import torch.nn as nn
import tensorflow as tf
import jax.numpy as jnp
from dataclasses import dataclass
from typing import Annotated, List, Literal, Optional, Sequence, Tuple, Union
"""


def negated(text: str) -> list[tuple[Term, Kind]]:
    """What stands behind each unary minus of a program, and its kind, in order."""
    interpreter = analysed(text, IMPORTS)
    numbers = Numbers(interpreter.analysis)
    return [
        (place.term.operands[0], numbers.kind(place.term.operands[0], place.scope))
        for place in interpreter.analysis.occurrences
        if place.term.operation.name == "neg" and place.term.site is not None
    ]


def kind_of(expression: str, parameters: str = "x") -> Kind:
    """Of an expression in a function."""
    return negated(f"def f({parameters}):\n    return -({expression})\n")[-1][1]


def kinds(body: str, parameters: str = "x") -> list[str]:
    """Of everything with a minus in the body of a function."""
    found = negated(f"def f({parameters}):\n{indent(body, '    ')}\n")
    return [kind.value for _, kind in found]


@pytest.mark.parametrize(
    "expression",
    [
        "2 * math.e",
        "len(x)",
        "x.size(0)",
        "x.size()[1]",
        "x.shape[0]",
        "x.shape[-1] // 2",
        "x.ndim",
        "x.dim()",
        "x.numel()",
        "x.nelement()",
        "x.sum().item()",
        "float(x.sum())",
        "int(x)",
        "round(2.5)",
        "abs(len(x) - 3)",
        "math.sqrt(x)",
        "math.prod(x.shape)",
        "math.pi",
        "random.random()",
        "np.sqrt(x.shape[0])",
        "np.prod(x.shape)",
        "np.prod(x.shape[1:])",
        "np.float64(3.0)",
        "max(x.size(0), 1)",
        "min(len(x), 3) / 2",
        "sum([1.0, 2.0])",
        "sum(len(row) for row in x)",
        "x.size(0) ** -0.5",
        "1 / math.sqrt(x.size(0))",
        "len(x) if x is not None else 1",
        "torch.finfo(x.dtype).eps",
        "jnp.finfo(x.dtype).max",
        "len(x) or 1",
    ],
)
def test_number(expression: str) -> None:
    assert kind_of(expression) is Kind.NUMBER


@pytest.mark.parametrize(
    "expression",
    [
        "torch.tensor(2.0)",
        "torch.zeros(3)",
        "x.norm()",
        "x.sum() * 2",
        "2 * torch.exp(x)",
        "len(x) * x.mean()",
        "tf.shape(x)[0]",
        "tf.cast(tf.shape(x)[0], tf.float32)",
        "jnp.sqrt(x.shape[0])",
        "torch.as_tensor(len(x))",
        "abs(x.mean())",
        "x.float()",
    ],
)
def test_tensor(expression: str) -> None:
    assert kind_of(expression) is Kind.TENSOR


@pytest.mark.parametrize(
    "expression", ["np.sum(x)", "np.zeros(3)", "np.sqrt(x)", "np.array(x) * 2"]
)
def test_array(expression: str) -> None:
    assert kind_of(expression) is Kind.ARRAY


@pytest.mark.parametrize(
    ("parameter", "kind"),
    [
        ("h: float", Kind.NUMBER),
        ("h: int = 3", Kind.NUMBER),
        ("h: 'float'", Kind.NUMBER),
        ("h: 'Optional[float]' = None", Kind.NUMBER),
        ("h: Optional[int] = None", Kind.NUMBER),
        ("h: float | None = None", Kind.NUMBER),
        ("h: Union[int, float]", Kind.NUMBER),
        ("h: Literal[1, 2]", Kind.NUMBER),
        ("h: Annotated[float, 'positive']", Kind.NUMBER),
        ("h: torch.Tensor", Kind.TENSOR),
        ("h: Optional[torch.Tensor] = None", Kind.TENSOR),
        ("h: 'torch.Tensor'", Kind.TENSOR),
        ("h: np.ndarray", Kind.ARRAY),
        ("h: Union[float, torch.Tensor]", Kind.EITHER),
        ("h: 'float | Tensor'", Kind.EITHER),
        ("h=1e-8", Kind.EITHER),
        ("h=-1", Kind.EITHER),
        ("h", Kind.UNKNOWN),
        ("h=None", Kind.UNKNOWN),
        ("h: Literal['sum', 'mean']", Kind.UNKNOWN),
    ],
)
def test_parameter(parameter: str, kind: Kind) -> None:
    assert kind_of("h", parameter) is kind


@pytest.mark.parametrize(
    ("parameter", "element"),
    [
        ("h: list[float]", Kind.NUMBER),
        ("h: Tuple[int, ...]", Kind.NUMBER),
        ("h: Optional[Sequence[float]] = None", Kind.NUMBER),
        ("h: torch.Size", Kind.NUMBER),
        ("h: List[torch.Tensor]", Kind.TENSOR),
        ("h", Kind.UNKNOWN),
    ],
)
def test_elements_of_a_parameter(parameter: str, element: Kind) -> None:
    assert kind_of("sum(h)", parameter) is element
    assert kind_of("[-part for part in h][0]", parameter) in (element, Kind.UNKNOWN)


@pytest.mark.parametrize(
    "use",
    [
        "h.unsqueeze(0)",
        "h.sum()",
        "h.shape",
        "h.device",
        "h[0]",
        "h @ h",
        "torch.log(h)",
        "torch.where(h, 1, 2)",
    ],
)
def test_use_that_no_number_allows(use: str) -> None:
    assert kinds(f"{use}\n-h", "h=1.0") == ["tensor"]


@pytest.mark.parametrize(
    "use",
    ["torch.where(c, h, 2)", "h * x", "h > 0", "h.is_integer()", "print(h)", "torch.pow(x, h)"],
)
def test_use_that_numbers_allow_as_well(use: str) -> None:
    assert kinds(f"{use}\n-h", "c, x, h=1.0") == ["either"]


@pytest.mark.parametrize(
    "use",
    ["torch.zeros(3, h)", "torch.zeros((h, 3))", "range(h)", "nn.Linear(h, 3)", "x.view(-1, h)"],
)
def test_size_of_something_is_a_number(use: str) -> None:
    assert kinds(f"{use}\n-h", "x, h") == ["number"]


def test_unpacked_shape() -> None:
    assert kinds("b, c = x.shape\n-b\n-c\nd, _ = x.size()\n-d") == ["number"] * 3
    assert kinds("b, c = tf.shape(x)\n-b") == ["tensor"]


def test_counter() -> None:
    body = """
n, m, total, many = 0, 0, 0.0, 0
for i, y in enumerate(x):
    n += 1
    many += len(y)
    if y > 0:
        m = m + 1
        total = total + y.exp()
    -i
    -n
-n; -m; -total; -many
while n > 3:
    n = n // 2
-n
"""
    assert kinds(body) == ["number"] * 4 + ["either"] + ["number"] * 2


def test_swapped_in_a_loop() -> None:
    body = """
a, b = 0, 1
for _ in range(3):
    a, b = b, a + b
-a
c, d = 0, 1
for y in x:
    c, d = d, y.exp()
-c
"""
    assert kinds(body) == ["number", "either"]


def test_written_into_the_tensor_that_it_is() -> None:
    assert kinds("w = torch.zeros(3)\nw += 1.0\nw[0] = 2.0\n-w") == ["tensor"]


def test_what_a_function_returns() -> None:
    text = """
def long(n):
    for _ in range(30):
        if n > 3:
            n = n // 2
    return n * 2

def root(n: int):
    return n ** 0.5

def f(x):
    -long(len(x))
    -root(3)
"""
    assert [kind for _, kind in negated(text)][-1] is Kind.NUMBER


def test_private_function_is_what_it_is_given() -> None:
    text = """
def _scaled(x, h):
    return x * -h

def f(x):
    return _scaled(x, 0.5) + _scaled(x, x.size(0))
"""
    assert {kind for _, kind in negated(text)} == {Kind.NUMBER}


def test_attributes_of_self() -> None:
    text = """
class Model(nn.Module):
    def __init__(self, dim, alpha, eps: float = 1e-5, p=0.5, beta=1.0):
        super().__init__()
        self.dim = dim
        self.linear = nn.Linear(dim, 3)
        self.root = np.sqrt(dim)
        self.eps = eps
        self.p = p
        self.alpha = alpha
        self.weight = nn.Parameter(torch.zeros(3))
        self.steps = 0
        self.beta = torch.as_tensor(beta)
        self.rate = beta
        self.register_buffer("mean", torch.ones(3))

    def describe(self):
        return self.rate.device

    def forward(self, x):
        self.steps += 1
        -self.dim; -self.root; -self.eps; -self.steps
        -self.weight; -self.beta; -self.mean; -self.rate
        -self.p; -self.alpha; -self.other; -x.scale
"""
    found = [kind.value for _, kind in negated(text)]
    assert found == ["number"] * 4 + ["tensor"] * 4 + ["either"] * 4


def test_fields_of_a_dataclass() -> None:
    text = """
@dataclass
class Config:
    alpha: float = 1.0
    beta: Optional[int] = None
    gamma: torch.Tensor = None

    def loss(self):
        -self.alpha; -self.beta; -self.gamma
"""
    assert [kind.value for _, kind in negated(text)] == ["number", "number", "tensor"]


def test_cycle_through_attributes_ends() -> None:
    text = """
class Counter:
    def reset(self):
        self.n, self.m = 0, 1

    def step(self):
        self.n = self.m
        self.m = self.n + 1
        return -self.n
"""
    assert [kind for _, kind in negated(text)] == [Kind.NUMBER]


def test_long_chain_ends() -> None:
    body = "".join(f"h = h * 2 + {place}\n" for place in range(150))
    assert kinds(f"{body}-h", "h: float") in (["number"], ["unknown"])


def test_what_jax_may_trace() -> None:
    text = "def f(x, h: float):\n    -(h * 2)\n    -(x.shape[0] * 2)\n    -float(h)\n    -len(x)\n"
    assert [rests_on_parameters(term) for term, _ in negated(text)] == [True, False, False, False]


def test_join_and_combination() -> None:
    assert of_paths([]) is Kind.NOTHING
    assert of_paths([Kind.NUMBER, Kind.NOTHING]) is Kind.NUMBER
    assert of_paths([Kind.NUMBER, Kind.TENSOR]) is Kind.EITHER
    assert of_paths([Kind.ARRAY, Kind.TENSOR]) is Kind.UNKNOWN
    assert of_operands([Kind.NUMBER, Kind.TENSOR]) is Kind.TENSOR
    assert of_operands([Kind.NUMBER, Kind.EITHER]) is Kind.EITHER
    assert of_operands([Kind.NUMBER, Kind.NOTHING]) is Kind.NOTHING
