"""Measure how the cost of analysing a file grows with its length.

    python benchmarks/cost.py [--thousands N [N...]] [SHAPE...]

The files are generated, in shapes that real files have. Each row is a shape: the seconds per
thousand lines at each length, and the ratio of the longest file's to the shortest file's.
"""

from __future__ import annotations

import argparse
import itertools
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from mllint_nan.findings import Confidence
from mllint_nan.linter import Linted, Settings, lint_bytes

THOUSANDS: Final = (1, 2, 4, 8, 16, 32)
EVERYTHING: Final = Settings(min_confidence=Confidence.POSSIBLE)

_HEADER: Final = """\
import math

import torch
import torch.nn.functional as F
from torch import nn

"""


def functions() -> Iterator[str]:
    """Losses next to each other, every fourth with a finding that has a fix."""
    for index in itertools.count():
        root = "torch.sqrt(total)" if index % 4 == 0 else "torch.sqrt(total + 1e-6)"
        yield f"""

def loss_{index}(prediction, target, weight=None, margin={index % 7}.0):
    difference = prediction - target
    if weight is not None:
        difference = difference * weight.unsqueeze(-1)
    total = (difference**2).sum(dim=-1)
    distance = {root}
    kept = F.relu(margin - distance)
    mask = (target > 0).float()
    return (kept * mask).sum() / mask.sum().clamp(min=1)
"""


def script() -> Iterator[str]:
    """Statements of a module, one after the other, with branches and loops."""
    for index in itertools.count():
        before = max(index - 1, 0)
        if index == 0:
            yield """
history = []
total = 0.0
names = {}
"""
        yield f"""
x_{index} = torch.randn(4, {index % 97 + 1}, requires_grad=True)
logits_{index} = x_{index} @ x_{before}.mean() + {index}
p_{index} = torch.softmax(logits_{index} if {index} else x_{index}, dim=-1)
entropy_{index} = -(p_{index} * torch.log(p_{index} + 1e-8)).sum(-1)
for step in range({index % 5}):
    entropy_{index} = entropy_{index} * 0.9 + step
if entropy_{index}.mean() > 0:
    print("row", {index}, entropy_{index}.item())
history.append(entropy_{index}.item())
total += history[-1] / (len(history) + total)
names["row {index}"] = total
"""


def class_() -> Iterator[str]:
    """The methods of one class, which call one another."""
    yield """

class Model(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.width = width
        self.scale = nn.Parameter(torch.ones(width))
        self.activation = nn.Softmax(dim=-1)
"""
    for index in itertools.count():
        yield f"""
    def step_{index}(self, x, mask=None):
        h = x * self.scale + {index}
        if mask is not None:
            h = h.masked_fill(mask == 0, -1e4)
        h = self.step_{max(index - 1, 0)}(h) if {index} else h
        weights = self.activation(h / math.sqrt(self.width))
        self.last_{index} = weights
        return (weights * x).sum(-1) / weights.norm(dim=-1).clamp(min=1e-6)
"""


def chain() -> Iterator[str]:
    """One function whose locals are each made from the last, under early exits."""
    yield """

def forward(x, mask, steps):
    h = x
    total = 0.0
"""
    for index in itertools.count():
        yield f"""    a_{index} = h * {index % 9 + 1} + x
    b_{index} = torch.tanh(a_{index}) - a_{index}.mean(-1, keepdim=True)
    if steps == {index}:
        return b_{index} / b_{index}.norm()
    h = torch.where(mask, b_{index}, h)
    total = total + (h**2).sum()
    x = x + torch.exp(-h.abs())
"""


def helper() -> Iterator[str]:
    """Functions that all call the same private one."""
    yield """

def _normalized(x, eps=0.0):
    total = (x * x).sum(dim=-1, keepdim=True)
    length = torch.sqrt(total + eps)
    return x / length
"""
    for index in itertools.count():
        yield f"""

def use_{index}(a, b):
    first = _normalized(a - b)
    second = _normalized(b * {index}, eps=1e-6)
    return (first * second).sum(dim=-1)
"""


def tangle() -> Iterator[str]:
    """Functions each of which calls several of those before it."""
    for index in itertools.count():
        calls = " + ".join(f"part_{max(index - back, 0)}(y, x)" for back in (1, 2, 3, 5, 8))
        yield f"""

def part_{index}(x, y):
    y = torch.sigmoid(x) * y
    x = {calls if index else "x"}
    return torch.log(y / (1 - y)) - x.std()
"""


def loops() -> Iterator[str]:
    """One function that names the same few variables again and again, in branches and loops."""
    yield """

def train(batches, model):
    loss = torch.zeros(())
    state = model.state
"""
    for index in itertools.count():
        yield f"""    for batch in batches[{index}]:
        output = model(batch, state)
        if output.ndim > {index % 4}:
            loss = loss + F.relu(output).pow(2).mean()
        else:
            loss = loss - torch.log(torch.sigmoid(output)).mean()
    state = state * loss.detach()
"""


SHAPES: Final[Mapping[str, Callable[[], Iterator[str]]]] = {
    "functions": functions,
    "script": script,
    "class": class_,
    "chain": chain,
    "helper": helper,
    "loops": loops,
    "tangle": tangle,
}


def written(shape: str, lines: int) -> bytes:
    """Return a file of this shape with at least this many lines."""
    parts, length = [_HEADER], _HEADER.count("\n")
    for part in SHAPES[shape]():
        if length >= lines:
            break
        parts.append(part)
        length += part.count("\n")
    return "".join(parts).encode()


def seconds_per_thousand(data: bytes) -> float:
    """Return the CPU time of one analysis per thousand lines; exits if it fails."""
    start = time.process_time()
    outcome = lint_bytes(data, "file.py", EVERYTHING)
    seconds = time.process_time() - start
    if not isinstance(outcome, Linted):
        raise SystemExit(f"not analysed: {outcome}")
    return seconds / data.count(b"\n") * 1000


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description="Measure how cost grows with a file's length.")
    parser.add_argument("shapes", nargs="*", metavar="SHAPE")
    parser.add_argument("--thousands", nargs="+", type=int, default=THOUSANDS, metavar="N")
    options = parser.parse_args(arguments)
    unknown = [shape for shape in options.shapes if shape not in SHAPES]
    if unknown:
        parser.error(f"no shape is called {unknown[0]!r}; there are {', '.join(SHAPES)}")
    lengths = options.thousands
    seconds_per_thousand(written("functions", 200))  # imports and rules are paid for here
    print("| shape | " + " | ".join(f"{length}k" for length in lengths) + " | ratio |")
    print("| --- " * (len(lengths) + 2) + "|")
    for shape in options.shapes or SHAPES:
        costs = [seconds_per_thousand(written(shape, 1000 * length)) for length in lengths]
        cells = [shape, *(f"{cost:.3f}" for cost in costs), f"{costs[-1] / costs[0]:.2f}"]
        print(f"| {' | '.join(cells)} |", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
