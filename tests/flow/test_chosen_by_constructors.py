"""What a constructor chooses by what it is given: each object has its own."""

from __future__ import annotations

import pytest

from mllint_nan.linter import check_text
from mllint_nan.settings import Settings

IMPORTS = """\
import torch
import torch.nn as nn

"""
BY_IF = """
class Net(nn.Module):
    def __init__(self, kind="identity", **options):
        super().__init__()
        if kind == "softmax":
            self.head = nn.Softmax(-1)
        else:
            self.head = nn.Identity()
    def forward(self, x):
        return self.head(x)
"""
BY_FUNCTION = """
def make_head(kind, width, **options):
    if kind == "softmax":
        return nn.Sequential(nn.Linear(width, options["classes"]), nn.Softmax(-1))
    elif kind == "positive":
        return nn.Identity()
    raise KeyError(kind)

class Net(nn.Module):
    def __init__(self, kind="positive", **options):
        super().__init__()
        self.head = make_head(kind, 3, **options)
    def forward(self, x):
        return self.head(x)
"""
USE = """
def loss(model, x, y):
    return -torch.log(model(x))[y].mean()
def train(x, y, kind, options):
    return loss({made}, x, y)
"""
MAKERS = pytest.mark.parametrize("maker", [BY_IF, BY_FUNCTION], ids=["if", "function"])


def found(text: str) -> list[str]:
    """The codes that are reported by default."""
    return [one.code for one in check_text(IMPORTS + text, "program.py", Settings())]


@MAKERS
def test_the_choice_is_that_of_the_constant_given(maker: str) -> None:
    assert found(maker + USE.format(made='Net("softmax", classes=3)')) == ["NAN101"]
    assert found(maker + USE.format(made='Net("positive")')) == []


@MAKERS
def test_what_is_not_given_is_the_default(maker: str) -> None:
    assert found(maker + USE.format(made="Net()")) == []
    by_default = maker.replace('kind="', 'kind="softmax", was="')
    assert found(by_default + USE.format(made="Net(classes=3)")) == ["NAN101"]


def test_what_nobody_shows_is_any_of_a_condition_and_none_of_a_function() -> None:
    assert found(BY_IF + USE.format(made="Net(kind)")) == ["NAN101"]
    assert found(BY_FUNCTION + USE.format(made="Net(kind)")) == []
    assert found(BY_FUNCTION + USE.format(made="Net(**options)")) == []
