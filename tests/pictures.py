"""Runs fixes over the whole range of float32 and draws how many bits are wrong before and after.

    python -m tests.pictures                 writes docs/pictures/<rule>.svg
    python -m tests.pictures sqrt-at-zero    one of them

Each picture follows one line of inputs, numbers and t, through an expression that the rule repairs
in a fixture, and through its repair, cut out as `--verify` cuts them from a program. The truth is
the sweep's oracle; so are the units in which errors count.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np

from handbook.drawing import BITS, Curve, Panel, drawn, input_at
from handbook.rule_pages import PICTURES
from mllint_nan.domains.dtype import FORMATS
from mllint_nan.findings import Hazard
from mllint_nan.rulebook.load import load_rules
from mllint_nan.rulebook.rule import Rule
from mllint_nan.rulebook.spoken import FRAMEWORKS
from tests.verifier.frameworks import adapter
from tests.verifier.observation import Mode, Way
from tests.verifier.oracle import Oracle
from tests.verifier.points import layout
from tests.verifier.samples import Sample, collected
from tests.verifier.sweep import functions
from tests.verifier.trials import trial
from tests.verifier.units import Split

DTYPE: Final = "float32"
COLUMNS: Final = 160
INPUTS_PER_COLUMN: Final = 4
T: Final = "t"

Entries = float | str | tuple[Any, ...]
"""A number, t, or rows of them."""


@dataclass(frozen=True, slots=True)
class Line:
    """Inputs along which an expression is measured: by name, with t where it follows the line."""

    expression: str
    """As the verifier writes it."""
    given: Mapping[str, Entries] = field(default_factory=lambda: {"x": T})

    def __str__(self) -> str:
        return ", ".join(f"{name} = {_shown(entries)}" for name, entries in self.given.items())


@dataclass(frozen=True, slots=True)
class Measured:
    """Wrong bits of values and gradients at float32 inputs, as `handbook.drawing` has them."""

    inputs: np.ndarray
    bits: Mapping[Hazard, np.ndarray]


_T0: Final = {"x": (T, 0.0), "y": (0.0, 0.0)}

LINES: Final[Mapping[str, Line]] = {
    "log-of-softmax": Line("torch.log(torch.softmax(x, dim=-1))", {"x": (0.0, T)}),
    "log-of-sigmoid": Line("torch.log(torch.sigmoid(x))"),
    "softmax-by-hand": Line(
        "torch.exp(x) / torch.sum(torch.exp(x), dim=-1, keepdim=True)", {"x": (0.0, T)}
    ),
    "logsumexp-by-hand": Line("torch.log(torch.sum(torch.exp(x), dim=-1))", {"x": (T, T)}),
    "softplus-by-hand": Line("torch.log(1 + torch.exp(x))"),
    "sigmoid-by-hand": Line("1 / (1 + torch.exp(-x))"),
    "tanh-by-hand": Line("(torch.exp(x) - torch.exp(-x)) / (torch.exp(x) + torch.exp(-x))"),
    "logistic-loss-by-hand": Line(
        "-(z * torch.log(torch.sigmoid(x)) + (1 - z) * torch.log(1 - torch.sigmoid(x)))",
        {"x": T, "z": 1.0},
    ),
    "log-of-det": Line("torch.log(torch.linalg.det(x))", {"x": ((T, 0.0), (0.0, T))}),
    "log-of-prod": Line("torch.log(torch.prod(torch.abs(x), dim=-1))", {"x": (T, T)}),
    "log-one-minus-tanh-squared": Line("torch.log(1 - torch.square(torch.tanh(x)))"),
    "log-of-cdf": Line("torch.log(torch.special.ndtr(x))"),
    "log-of-cosh": Line("torch.log(torch.cosh(x))"),
    "variance-by-cancellation": Line(
        "torch.sqrt(torch.mean(torch.square(x), dim=-1) - torch.square(torch.mean(x, dim=-1)))",
        {"x": (T, T, T)},
    ),
    "logit-by-hand": Line("torch.log(torch.sigmoid(x) / (1 - torch.sigmoid(x)))"),
    "sqrt-of-exp": Line("torch.sqrt(torch.exp(x))"),
    "log-at-zero": Line("torch.log(F.softplus(x))"),
    "zero-times-log": Line("torch.relu(x) / 1.5 * torch.log(torch.relu(x) / 1.5)"),
    "sqrt-at-zero": Line("torch.sqrt(torch.sum(torch.square(x - y), dim=-1))", _T0),
    "norm-at-zero": Line("jnp.linalg.norm(x - y, axis=-1)", _T0),
    "std-at-constant": Line("jnp.maximum(jnp.std(x, axis=-1), 1e-6)", {"x": (0.0, T)}),
    "fractional-power-at-zero": Line("torch.softmax(z, dim=-1)**0.75", {"z": (0.0, T)}),
    "atanh-or-acosh-at-edge": Line("torch.atanh(torch.tanh(z))", {"z": T}),
    "log-of-negative": Line("torch.clamp(torch.log(1 + x), min=0)"),
    "division-by-norm": Line(
        "(x - y) / torch.sqrt(torch.sum(torch.square(x - y), dim=-1, keepdim=True))",
        {"x": (T, T), "y": (0.0, 0.0)},
    ),
    "single-where": Line("torch.where(x > 0, torch.sqrt(x), 0.0)"),
    "mask-times-nonfinite": Line("(x > 0) * torch.log(x)"),
    "guard-too-late": Line("torch.clamp(torch.exp(d), max=100)", {"d": T}),
}

UNREPAIRED: Final = "it has no fix"
_AT_A_POINT: Final = "it breaks at single inputs, and the true result is not finite there either"
_NO_SCALAR: Final = "what breaks it is a count, a mask or a comparison, no number on a scale"
_HALF: Final = "its constants fit float32; it breaks in half precision"
_ANOTHER: Final = "the gradient is 0 in exact arithmetic too: the fix is another function"
_IN_CONTEXT: Final = "the expression is finite; what breaks is what is done with it elsewhere"

UNDRAWN: Final[Mapping[str, str]] = {
    "fractional-power-of-negative": UNREPAIRED,
    "svd-of-degenerate": UNREPAIRED,
    "mean-of-empty": UNREPAIRED,
    "std-of-one-sample": UNREPAIRED,
    "unguarded-quotient": UNREPAIRED,
    "nan-patched-output": UNREPAIRED,
    "softmax-of-all-masked": UNREPAIRED,
    "logsumexp-of-all-masked": UNREPAIRED,
    "eps-does-not-guard-signed": UNREPAIRED,
    "from-logits-mismatch": UNREPAIRED,
    "atan2-at-origin": _AT_A_POINT,
    "log-of-uniform": _AT_A_POINT,
    "division-by-sum": _AT_A_POINT,
    "division-by-range": _AT_A_POINT,
    "division-by-std": _AT_A_POINT,
    "inverse-degree": _AT_A_POINT,
    "acos-at-edge": "its derivative breaks at -1 and 1 alone, where the true one is infinite",
    "epsilon-absorbed": "it breaks at 1 alone, between two points of any picture",
    "division-by-count": _NO_SCALAR,
    "comparison-with-nan": _NO_SCALAR,
    "epsilon-underflows": _HALF,
    "mask-constant-overflows": _HALF,
    "exp-overflow": "where it is infinite, the true result is past the format too",
    "gradient-cut-by-clip": _ANOTHER,
    "bce-after-sigmoid": _ANOTHER,
    "nll-of-probabilities": _ANOTHER,
    "cross-entropy-of-softmax": _ANOTHER,
    "scale-underflow": _IN_CONTEXT,
}
"""Why the other rules have no picture."""


def rule_named(name: str) -> Rule:
    return next(rule for rule in load_rules() if rule.name == name)


def sample_of(name: str) -> Sample:
    """The sample of a rule's fixtures that its line names; raises `LookupError`."""
    for sample in collected(name).samples:
        if sample.rendered(DTYPE).before == LINES[name].expression:
            return sample
    raise LookupError(f"no fixture of {name} has {LINES[name].expression}")


def inputs() -> np.ndarray:
    """Float32 numbers of both signs, ascending: a few of each column of the picture."""
    width = 1 / COLUMNS
    places = (np.arange(COLUMNS * INPUTS_PER_COLUMN) + 0.5) * width / INPUTS_PER_COLUMN
    positive = np.array([input_at(float(each)) for each in places], dtype=np.float32)
    return np.concatenate([-positive[::-1], positive])


def measured(name: str, repaired: bool) -> Measured:
    """A rule's expression, or its repair, at all inputs, against the truth."""
    return _measured(name)[repaired]


@cache
def _measured(name: str) -> tuple[Measured, Measured]:
    sample, line, t = sample_of(name), LINES[name], inputs()
    _, rows = layout(sample)
    if rows is not None:
        return _runs(sample, line, t, rows)
    single = [_runs(sample, line, t[place : place + 1], None) for place in range(len(t))]
    before, after = zip(*single, strict=True)
    return _joined(t, before), _joined(t, after)


def picture(name: str) -> str:
    """The SVG of one rule."""
    sample = sample_of(name)
    before, after = measured(name, repaired=False), measured(name, repaired=True)
    panels = [
        Panel(str(hazard), _curve(before, hazard), _curve(after, hazard))
        for hazard in Hazard
        if not np.isnan(before.bits[hazard]).all()
    ]
    written = sample.rendered(DTYPE)
    return drawn(
        f"{name}: wrong bits before and after, by t",
        (written.before, written.after),
        f"{FRAMEWORKS[sample.framework]}, {DTYPE}, {LINES[name]}",
        panels,
    )


def _curve(run: Measured, hazard: Hazard) -> Curve:
    """The worst input of each column."""
    inputs = run.inputs.reshape(-1, INPUTS_PER_COLUMN)
    bits = run.bits[hazard].reshape(-1, INPUTS_PER_COLUMN)
    return Curve(
        [float(x) for x in inputs[:, INPUTS_PER_COLUMN // 2]], [float(b) for b in bits.max(axis=1)]
    )


def _joined(t: np.ndarray, parts: Sequence[Measured]) -> Measured:
    bits = {hazard: np.concatenate([part.bits[hazard] for part in parts]) for hazard in Hazard}
    return Measured(t, bits)


def _runs(sample: Sample, line: Line, t: np.ndarray, rows: int | None) -> tuple[Measured, Measured]:
    """Both versions, as the framework computes them on the CPU; all is one row with None."""
    given = {name: _along(entries, t, rows) for name, entries in line.given.items()}
    form = FORMATS[DTYPE]
    truth = trial(sample, Oracle(form), given, rows, lambda shape: _last(shape, rows))

    def of_line(array: np.ndarray) -> np.ndarray:
        """The last entry of each result."""
        by_row = array[None] if rows is None else np.moveaxis(array, min(rows, array.ndim - 1), 0)
        return by_row.reshape(len(t), -1)[:, -1]

    def slope(gradients: Mapping[str, np.ndarray]) -> np.ndarray:
        """By t: the sum over the entries that are t."""
        total = np.zeros(len(t), dtype=object)
        for name, entries in line.given.items():
            gradient = gradients[name]
            by_row = gradient[None] if rows is None else np.moveaxis(gradient, rows, 0)
            is_t = np.ravel(np.array(entries, dtype=object) == T)
            total = total + by_row.reshape(len(t), -1)[:, is_t].sum(axis=1)
        return total

    true = {
        Hazard.VALUE: Split.of(of_line(truth.before.value)),
        Hazard.GRADIENT: Split.of(slope(truth.before.gradients)),
    }
    mode = Mode.COMPILED if sample.framework == "jax" and rows is None else Mode.EAGER
    found = []
    for function in functions(sample, DTYPE):
        run = adapter(sample.framework).runner(function, "cpu", Way(mode, DTYPE, truth.weights))
        seen = run(given)
        gradients = {name: array.entries for name, array in seen.gradients.items()}
        computed = {
            Hazard.VALUE: of_line(seen.values[0].entries),
            Hazard.GRADIENT: slope(gradients).astype(np.float64),
        }
        bits = {hazard: _wrong_bits(computed[hazard], true[hazard]) for hazard in Hazard}
        found.append(Measured(t, bits))
    return found[0], found[1]


def _along(entries: Entries, t: np.ndarray, rows: int | None) -> np.ndarray:
    """An input at all t at once, rows along their axis; or at the only one."""
    shape = np.shape(np.array(entries, dtype=object))
    flat = np.ravel(np.array(entries, dtype=object))
    columns = [t if entry == T else np.full_like(t, entry) for entry in flat]
    array = np.stack(columns, axis=1).reshape(len(t), *shape)
    return np.ascontiguousarray(array[0] if rows is None else np.moveaxis(array, 0, rows))


def _last(shape: tuple[int, ...], rows: int | None) -> np.ndarray:
    """Weights of a result: 1 for the last entry of each row's."""
    weights = np.zeros(shape)
    if rows is None:
        weights.reshape(-1)[-1:] = 1.0
    else:
        by_row = np.moveaxis(weights, min(rows, len(shape) - 1), 0)
        by_row[(slice(None), *(-1,) * (len(shape) - 1))] = 1.0
    return weights


def _shown(entries: Entries) -> str:
    if isinstance(entries, tuple):
        return f"[{', '.join(map(_shown, entries))}]"
    return entries if isinstance(entries, str) else f"{entries:g}"


def _wrong_bits(computed: np.ndarray, true: Split) -> np.ndarray:
    """log2 of the error in halves of a unit in the last place, from 0 to all 24."""
    form = FORMATS[DTYPE]
    halves = 2 * true.ulps(computed.astype(np.float64), form)
    with np.errstate(invalid="ignore"):
        bits = np.clip(np.log2(np.maximum(halves, 1.0)), 0, BITS)
        fits = np.abs(true.high) <= form.max
    return np.where(fits, np.where(np.isfinite(computed), bits, np.inf), np.nan)


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
