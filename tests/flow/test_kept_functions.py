"""Functions that an object keeps in lists and dictionaries are called, whichever is chosen."""

from __future__ import annotations

from typing import Final

import pytest

from mllint_nan.linter import check_text
from mllint_nan.settings import Settings

PROGRAM: Final = """\
from functools import partial

import torch
from torch import nn


def far(a):
    return torch.log({operand}).mean()


def near(a):
    return a.mean()


class Far(nn.Module):
    def forward(self, a):
        return far(a)


TERMS = {{"far": far, "near": near}}


class Loss(nn.Module):
    def __init__(self, names):
        super().__init__()
        {made}

    def far(self, a):
        return far(a)

    def forward(self, x):
        p = torch.relu(x)
        total = 0.0
        {called}
        return total
"""
PLAIN: Final = "for fn in self.terms: total = total + fn(p)"
VALUES: Final = "for fn in self.terms.values(): total = total + fn(p)"
PAIRS: Final = "for w, fn in self.terms: total = total + w * fn(p)"
PAIRS_OF_VALUES: Final = "for w, fn in self.terms.values(): total = total + w * fn(p)"
KEPT: Final = {
    "a dictionary": ("self.terms = {'far': far, 'near': near}", VALUES),
    "a dictionary, filled": ("self.terms = {}; self.terms['far'] = far", VALUES),
    "a dictionary of pairs": ("self.terms = {'far': (1.0, far)}", PAIRS_OF_VALUES),
    "a dictionary of methods": ("self.terms = {'far': (1.0, self.far)}", PAIRS_OF_VALUES),
    "a dictionary of pairs, by keys": (
        "self.terms = {'far': (1.0, far), 'near': (0.5, near)}",
        "for name, (w, fn) in self.terms.items(): total = total + w * fn(p)",
    ),
    "a dictionary that is made by another": (
        "self.terms = {'far': (1.0, far), 'near': (0.5, near)}",
        "parts = {k: fn(p) for k, (w, fn) in self.terms.items()}; total = sum(parts.values())",
    ),
    "chosen by names": ("self.terms = {k: TERMS[k] for k in names}", VALUES),
    "chosen by names, with weights": (
        "self.terms = {k: (w, TERMS[k]) for k, w in names.items()}",
        PAIRS_OF_VALUES,
    ),
    "a list": ("self.terms = [TERMS[k] for k in names]", PLAIN),
    "a list of pairs": ("self.terms = [(1.0, far), (0.5, near)]", PAIRS),
    "a list of partial applications": ("self.terms = [(1.0, partial(far))]", PAIRS),
    "a list of pairs that are chosen": (
        "self.terms = [(w, TERMS[k]) for k, w in names.items()]",
        PAIRS,
    ),
    "a list that grows": (
        "self.terms = []\n        for k in names: self.terms.append(TERMS[k])",
        PLAIN,
    ),
    "a list of pairs that grows": (
        "self.terms = []\n        for k, w in names.items(): self.terms.append((w, TERMS[k]))",
        PAIRS,
    ),
    "two lists": (
        "self.terms, self.weights = [TERMS[k] for k in names], [1.0 for k in names]",
        "for fn, w in zip(self.terms, self.weights): total = total + w * fn(p)",
    ),
    "modules": (
        "self.terms = nn.ModuleDict({'far': Far()})",
        "for part in self.terms.values(): total = total + part(p)",
    ),
    "a generator": (
        "self.terms = [(1.0, far), (0.5, near)]",
        "total = sum(w * fn(p) for w, fn in self.terms)",
    ),
}


def codes(made: str, called: str, operand: str) -> list[str]:
    text = PROGRAM.format(made=made, called=called, operand=operand)
    return [one.code for one in check_text(text, "program.py", Settings())]


@pytest.mark.parametrize("kept", KEPT)
def test_functions_that_are_kept_are_called(kept: str) -> None:
    assert codes(*KEPT[kept], "a") == ["NAN201"]
    assert codes(*KEPT[kept], "a + 1e-3") == []
