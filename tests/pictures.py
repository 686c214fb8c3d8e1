"""Runs fixtures over the whole range of float32 and draws how many of their bits are wrong.

    python -m tests.pictures                 writes docs/pictures/<rule>.svg
    python -m tests.pictures sqrt-at-zero    one of them

Each picture follows one line of inputs, `x = t * direction`, through the function that the rule's
page shows, before and after its repair, and compares it with the function's true value along that
line: a formula without cancellation, at 50 digits.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
from mpmath import cosh, exp, log, log1p, mp, mpf, sign, sinh, tanh

from handbook.drawing import BITS, Curve, Panel, drawn, input_at
from handbook.rule_pages import PICTURES
from handbook.snippets import snippet
from mllint_nan.findings import Hazard
from mllint_nan.rulebook.load import load_rules
from mllint_nan.rulebook.rule import Rule
from mllint_nan.rulebook.spoken import FRAMEWORKS
from tests.verifier.frameworks import adapter
from tests.verifier.functions import functions_of
from tests.verifier.load import load

DIGITS: Final = 50
COLUMNS: Final = 160
INPUTS_PER_COLUMN: Final = 4

Oracle = Callable[[mpf], mpf]


@dataclass(frozen=True, slots=True)
class Line:
    """Inputs of a rule's function along which it is measured, and the truth about them.

    `direction` is None where x is t itself; `others` are the other arguments, one number each.
    `last` takes the last entry of the result, whose true value and derivative are given.
    """

    value: Oracle
    slope: Oracle
    direction: tuple[float, ...] | None = None
    others: Mapping[str, float] = field(default_factory=dict)
    last: bool = False
    framework: str = "torch"

    def __str__(self) -> str:
        entries = ", ".join("t" if entry else "0" for entry in self.direction or ())
        given = {"x": f"[{entries}]" if self.direction else "t"}
        given |= {name: f"{number:g}" for name, number in self.others.items()}
        text = ", ".join(f"{name} = {shown}" for name, shown in given.items())
        return f"{text}, last entry" if self.last else text


@dataclass(frozen=True, slots=True)
class Measured:
    """Wrong bits of values and gradients at float32 inputs, as `handbook.drawing` has them."""

    inputs: np.ndarray
    bits: Mapping[Hazard, np.ndarray]


def _softplus(t: mpf) -> mpf:
    return t + log1p(exp(-t)) if t > 0 else log1p(exp(t))


def _sigmoid(t: mpf) -> mpf:
    return 1 / (1 + exp(-t))


def _bump(t: mpf) -> mpf:
    return _sigmoid(t) * _sigmoid(-t)


def _log_cosh(t: mpf) -> mpf:
    return log1p(2 * sinh(t / 2) ** 2) if abs(t) < 1 else abs(t) + log1p(exp(-2 * abs(t))) - log(2)


LINES: Final[Mapping[str, Line]] = {
    "log-of-softmax": Line(
        lambda t: -_softplus(-t), lambda t: _sigmoid(-t), direction=(0, 1), last=True
    ),
    "log-of-sigmoid": Line(lambda t: -_softplus(-t), lambda t: _sigmoid(-t)),
    "softmax-by-hand": Line(_sigmoid, _bump, direction=(0, 1), last=True),
    "logsumexp-by-hand": Line(lambda t: t + log(2), lambda t: mpf(1), direction=(1, 1)),
    "softplus-by-hand": Line(_softplus, _sigmoid),
    "sigmoid-by-hand": Line(_sigmoid, _bump),
    "tanh-by-hand": Line(tanh, lambda t: 1 / cosh(t) ** 2),
    "logistic-loss-by-hand": Line(
        lambda t: _softplus(-t), lambda t: -_sigmoid(-t), others={"z": 1.0}
    ),
    "log-one-minus-tanh-squared": Line(lambda t: -2 * _log_cosh(t), lambda t: -2 * tanh(t)),
    "log-of-cosh": Line(_log_cosh, tanh, others={"y": 0.0}),
    "sqrt-of-exp": Line(lambda t: exp(t / 2), lambda t: exp(t / 2) / 2),
    "sqrt-at-zero": Line(abs, sign, direction=(1, 0), others={"y": 0.0}),
    "norm-at-zero": Line(abs, sign, direction=(1, 0), others={"y": 0.0}, framework="jax"),
}
"""By rule; `log-of-cosh` shows `mean(log(cosh(x - y)))`, of one element each."""


def rule_named(name: str) -> Rule:
    return next(rule for rule in load_rules() if rule.name == name)


def inputs() -> np.ndarray:
    """Float32 numbers of both signs, ascending: a few of each column of the picture."""
    width = 1 / COLUMNS
    places = (np.arange(COLUMNS * INPUTS_PER_COLUMN) + 0.5) * width / INPUTS_PER_COLUMN
    positive = np.array([input_at(float(each)) for each in places], dtype=np.float32)
    return np.concatenate([-positive[::-1], positive])


@cache
def measured(name: str, repaired: bool) -> Measured:
    """One run of a rule's function over all inputs, against the truth."""
    line = LINES[name]
    t = inputs()
    computed = _computed(name, line, repaired, t)
    bits = {
        Hazard.VALUE: _wrong_bits(computed[Hazard.VALUE], _truth(line.value, t)),
        Hazard.GRADIENT: _wrong_bits(computed[Hazard.GRADIENT], _truth(line.slope, t)),
    }
    return Measured(t, bits)


def picture(name: str) -> str:
    """The SVG of one rule."""
    line = LINES[name]
    before, after = measured(name, repaired=False), measured(name, repaired=True)
    panels = [
        Panel(str(hazard), _curve(before, hazard), _curve(after, hazard)) for hazard in Hazard
    ]
    return drawn(
        f"{name}: wrong bits before and after, by t",
        f"{FRAMEWORKS[line.framework]}, float32, {line}",
        panels,
    )


def _curve(run: Measured, hazard: Hazard) -> Curve:
    """The worst input of each column."""
    inputs = run.inputs.reshape(-1, INPUTS_PER_COLUMN)
    bits = run.bits[hazard].reshape(-1, INPUTS_PER_COLUMN)
    return Curve(
        [float(x) for x in inputs[:, INPUTS_PER_COLUMN // 2]], [float(b) for b in bits.max(axis=1)]
    )


def _computed(name: str, line: Line, repaired: bool, t: np.ndarray) -> Mapping[Hazard, np.ndarray]:
    """Value and derivative by t, as the framework computes them on the CPU."""
    function = _function(name, line, repaired)
    run = adapter(line.framework).runner(function, "cpu")
    direction = np.array(line.direction or [1.0], dtype=np.float32)
    used = np.flatnonzero(direction)

    def along(part: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        x = part[:, None] * direction if line.direction else part
        others = {key: np.full_like(x, number) for key, number in line.others.items()}
        seen = run({"x": x, **others})
        slopes = seen.gradients["x"].entries.reshape(len(part), -1)
        return seen.values[0].entries, slopes[:, used].sum(axis=1)

    value, slope = along(t)
    if value.shape != t.shape:  # it reduces whatever it is given to one number
        singly = [along(part) for part in t[:, None]]
        value, slope = (np.array(column).reshape(-1) for column in zip(*singly, strict=True))
    return {Hazard.VALUE: value, Hazard.GRADIENT: slope}


def _function(name: str, line: Line, repaired: bool) -> Callable[..., Any]:
    shown = snippet(rule_named(name), line.framework)
    if shown is None or shown.after is None:
        raise LookupError(f"no repaired function of {name} for {line.framework}")
    text = shown.after if repaired else shown.before
    (function,) = functions_of(text)
    called = getattr(load(text, line.framework), function.name)
    return (lambda **given: called(**given)[..., -1]) if line.last else called


def _truth(oracle: Oracle, t: np.ndarray) -> np.ndarray:
    """The true values, rounded to float32; infinite where they do not fit."""
    with mp.workdps(DIGITS), np.errstate(over="ignore"):
        return np.array([np.float32(float(oracle(mpf(float(x))))) for x in t], dtype=np.float32)


def _wrong_bits(computed: np.ndarray, truth: np.ndarray) -> np.ndarray:
    """log2 of 1 + the number of float32 between both, at most all 24."""
    apart = np.abs(_ordinal(computed) - _ordinal(truth)).astype(np.float64)
    bits = np.where(np.isfinite(computed), np.minimum(np.log2(1 + apart), BITS), np.inf)
    return np.where(np.isfinite(truth), bits, np.nan)


def _ordinal(numbers: np.ndarray) -> np.ndarray:
    """The place of each float32 among all of them; both zeros have place 0."""
    raw = numbers.astype(np.float32).view(np.int32).astype(np.int64)
    return np.where(raw < 0, -(raw & 0x7FFFFFFF), raw)


def main(names: Sequence[str]) -> int:
    unknown = [name for name in names if name not in LINES]
    if unknown:
        print(f"no line of inputs for {', '.join(unknown)}", file=sys.stderr)
        return 2
    PICTURES.mkdir(exist_ok=True)
    for name in names or LINES:
        path = Path(PICTURES / f"{name}.svg")
        path.write_text(picture(name), encoding="utf-8")
        print(path)
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
