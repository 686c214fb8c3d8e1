"""What parameters with a star collect of a call, and what a call hands on behind stars."""

from __future__ import annotations

import pytest

from mllint_nan.linter import check_text
from mllint_nan.settings import Settings
from tests.flow.analysed import logged

IMPORTS = """\
import torch
import torch.nn as nn

"""
UNKNOWN_PART = "subscript(opaque, v)"
NLL = """
def nll(p, y, scale=1.0):
    return -torch.log(p)[y].mean() * scale
"""


def found(text: str) -> list[str]:
    """The codes that are reported by default."""
    return [one.code for one in check_text(IMPORTS + text, "program.py", Settings())]


@pytest.mark.parametrize(
    ("helper", "call", "expected"),
    [
        ("def h(*t):\n    return t[1]", "h(y, torch.exp(x))", "exp(x)"),
        ("def h(u, *t):\n    return t[0]", "h(y, torch.exp(x))", "exp(x)"),
        ("def h(**t):\n    return t['v']", "h(u=y, v=torch.exp(x))", "exp(x)"),
        ("def h(u, **t):\n    return t['v']", "h(v=torch.exp(x), u=y)", "exp(x)"),
        ("def h(**t):\n    return t.get('v', 1) * x", "h(u=y)", "mul(1, x)"),
        ("def k(a, b):\n    return b - a\ndef h(*t):\n    return k(*t)", "h(x, y)", "sub(y, x)"),
        ("def k(a, b=2):\n    return b - a\ndef h(**t):\n    return k(**t)", "h(a=x)", "sub(2, x)"),
        ("def h(a, *t, **o):\n    return a(*t, **o)", "h(torch.clamp, x, min=1)", "clip(x, min=1)"),
    ],
)
def test_what_stars_collect_is_what_the_call_gives(helper: str, call: str, expected: str) -> None:
    assert logged(f"{helper}\ntorch.log({call})") == expected


@pytest.mark.parametrize(
    ("helper", "call"),
    [
        ("def h(*t):\n    return t[0]", "h(*z)"),
        ("def h(a, **t):\n    return t['v']", "h(x, **z)"),
        ("def h(a, **t):\n    return t.get('v', a)", "h(x, **z)"),
        ("def h(**t):\n    return t['v']", "h(u=x)"),
        ("def h(**t):\n    t.update(z)\n    return t['v']", "h(v=x)"),
        ("def k(a, b):\n    return a\ndef h(**t):\n    return k(**t)", "h(a=x)"),
    ],
)
def test_what_the_call_does_not_show_is_not_known(helper: str, call: str) -> None:
    assert logged(f"{helper}\ntorch.log({call})") in ("opaque", UNKNOWN_PART)


HANDED_ON = {
    "positional": """
def step(criterion, *batch):
    return criterion(*batch)
def train(z, y):
    return step(nll, {given}, y)
""",
    "named": """
def step(z, y, **options):
    return nll({given}, y, **options)
def train(z, y):
    return step(z, y, scale=2.0)
""",
    "named, of which none are given": """
def step(z, y, **options):
    return nll({given}, y, **options)
def train(z, y):
    return step(z, y)
""",
    "a model that takes whatever": """
class Net(nn.Module):
    def forward(self, z, **options):
        out = {{"p": {given}}}
        if options.get("hidden", False):
            out["hidden"] = z
        return out
def step(model, *batch, **options):
    z, y = batch
    out = model(z, **options)
    return nll(out["p"], y)
def train(z, y):
    return step(Net(), z, y, hidden=True)
""",
    "a wrapper": """
class Wrapper(nn.Module):
    def __init__(self, body):
        super().__init__()
        self.body = body
    def forward(self, *args, **kwargs):
        return self.body(*args, **kwargs)
class Net(nn.Module):
    def forward(self, z, scale=1.0):
        return {given}
def loss(model, z, y):
    return nll(model(z, scale=2.0), y)
def train(z, y):
    return loss(Wrapper(Net()), z, y)
""",
}


@pytest.mark.parametrize("name", HANDED_ON)
def test_what_is_handed_on_behind_stars_is_followed(name: str) -> None:
    text = NLL + HANDED_ON[name]
    assert found(text.format(given="torch.softmax(z, -1)")) == ["NAN101"]
    assert found(text.format(given="(0.1 + torch.softmax(z, -1))")) == []
