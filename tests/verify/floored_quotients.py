"""A rule of one's own whose floor is wrong for a sum that is negative."""

from __future__ import annotations

from pathlib import Path
from typing import Final

_RULE: Final = '''\
code = "NAN801"
name = "quotient-by-sum"
summary = "a sum may be 0"
hazard = "value"
frameworks = ["torch"]
match = "b / (n := sum(w))"
message = "a sum may be 0"
overrides = ["NAN302", "NAN305", "NAN309"]

[[fix]]
replace = "n"
rewrite = "clip(n, min=epsilon)"
applicability = "unsafe"

[parameters]
epsilon = 1e-8

[[witness]]
text = "weights = 0"
given = { weights = [0.0, 0.0] }

[docs]
why = "0 / 0 is NaN."
example = """
import torch


def f(weights):
    return weights / weights.sum()
"""
instead = """
import torch


def f(weights):
    return weights / weights.sum().clamp(min=1e-8)
"""
fix_safety = "To be refuted: a negative sum becomes the floor."
references = []
'''


def folder_with_rule(directory: Path) -> str:
    """A folder of rules that holds it."""
    folder = directory / "rules"
    folder.mkdir()
    (folder / "quotient-by-sum.toml").write_text(_RULE, encoding="utf-8")
    return str(folder)
