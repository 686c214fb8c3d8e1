"""Operands that a program keeps off the singular point, each beside a twin that does not.

Every program is a hazard, a way to keep its operand off the point, and the same way done wrong: on
the wrong side, on another operand, or too late. What each claims is executed in PyTorch.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from typing import Final

import pytest

from mllint_nan import check_source


@dataclass(frozen=True)
class Way:
    """A way to keep `n` from 0, and what looks like it and lets 0 through."""

    sound: str
    broken: str
    before: str = ""
    """Definitions that both need."""


COUNT: Final = """
{before}

def loss(x, y):
    m = x > 0
    n = m.sum()
{way}
    return (x * m).sum() / n
"""
NESTED: Final = """
{before}

def loss(x, y):
    m = x > 0
    n = m.sum()
{way}

    def share(v):
        return (v * m).sum() / n

    return share(x) + share(x + y)
"""
ROOT: Final = """
{before}

def loss(x, y):
    n = ((x - y) ** 2).sum(-1)
{way}
    return n.sqrt().sum()
"""
REFUSING: Final = "def refuse(v):\n    if v.min() <= 0:\n        raise ValueError('none')\n"
NEGATIVE: Final = "def refuse(v):\n    if v.min() < 0:\n        raise ValueError('negative')\n"
ASSERTING: Final = "def refuse(v):\n    assert v.min() > 0\n    return v\n"

OF_A_COUNT: Final = {
    "an early return": Way("if n == 0:\n    return 0 * n", "if n != 0:\n    return 0 * n"),
    "a bound below 1": Way("if n < 1:\n    return 0 * n", "if n < 0:\n    return 0 * n"),
    "an error": Way("if n <= 0:\n    raise ValueError(n)", "if n < 0:\n    raise ValueError(n)"),
    "an assertion": Way("assert n > 0", "assert n >= 0"),
    "an assertion of any": Way("assert m.any()", "assert (y > 0).any()"),
    "a name for the test": Way(
        "empty = n == 0\nif empty:\n    return 0 * n",
        "empty = n == 0\nif not empty:\n    return 0 * n",
    ),
    "a function that refuses": Way(
        "refuse(n)",
        "refuse((y > 0).sum())",
        "def refuse(v):\n    if v == 0:\n        raise ValueError\n",
    ),
    "a function that asserts": Way(
        "refuse(n)", "refuse((y > 0).sum())", "def refuse(v):\n    assert v > 0\n"
    ),
}
OF_A_ROOT: Final = {
    "a function that refuses": Way("refuse(n)", "refuse(n + 1)", REFUSING),
    "a function that refuses what is negative": Way("refuse(n - 1e-6)", "refuse(n)", NEGATIVE),
    "a function that gives back what it has looked at": Way(
        "n = refuse(n)", "r = refuse((y ** 2).sum(-1) + 1)", ASSERTING
    ),
    "a minimum that is not 0": Way(
        "if n.min() == 0:\n    return 0 * n.sum()", "if n.max() == 0:\n    return 0 * n.sum()"
    ),
    "a square that is not 0": Way(
        "if (n**2 == 0).any():\n    return 0 * n.sum()",
        "if (n**2 == 0).all():\n    return 0 * n.sum()",
    ),
    "a multiple that is not 0": Way(
        "if not (2 * n > 0).all():\n    return 0 * n.sum()",
        "if not (2 * n > 0).any():\n    return 0 * n.sum()",
    ),
}
PROGRAMS: Final = [
    pytest.param(form, way, code, id=f"{what}, {name}")
    for what, form, code, ways in (
        ("a count", COUNT, "NAN301", OF_A_COUNT),
        ("a count in a nested function", NESTED, "NAN301", OF_A_COUNT),
        ("a root", ROOT, "NAN203", OF_A_ROOT),
    )
    for name, way in ways.items()
]


def _program(form: str, way: Way, text: str) -> str:
    return "import torch\n" + form.format(before=way.before, way=textwrap.indent(text, " " * 4))


@pytest.mark.parametrize(("form", "way", "code"), PROGRAMS)
def test_an_operand_kept_off_is_quiet_and_its_twin_found(form: str, way: Way, code: str) -> None:
    assert check_source(_program(form, way, way.sound)) == []
    assert [finding.code for finding in check_source(_program(form, way, way.broken))] == [code]


def _is_finite(text: str) -> bool:
    """Whether value and gradient are finite, or an error says why there are none."""
    import torch

    namespace: dict[str, object] = {}
    exec(text, namespace)  # the programs of this file alone
    generator = torch.Generator().manual_seed(0)
    drawn = torch.rand(3, 4, generator=generator) + 0.5
    some = torch.cat((drawn[:1], 2 * drawn[1:]))
    for x, y in ((-drawn, drawn), (drawn, drawn.clone()), (drawn, 2 * drawn), (drawn, some)):
        x, y = x.clone().requires_grad_(), y.clone().requires_grad_()
        try:
            result = namespace["loss"](x, y)  # type: ignore[operator]
        except (ValueError, AssertionError):
            continue
        values = [result]
        if result.requires_grad:
            given = torch.autograd.grad(result.sum(), (x, y), allow_unused=True)
            values += [one for one in given if one is not None]
        if not all(torch.isfinite(one).all() for one in values):
            return False
    return True


@pytest.mark.slow
@pytest.mark.parametrize(("form", "way", "code"), PROGRAMS)
def test_what_they_claim_is_so_when_executed(form: str, way: Way, code: str) -> None:
    pytest.importorskip("torch")
    assert _is_finite(_program(form, way, way.sound))
    assert not _is_finite(_program(form, way, way.broken)), code
