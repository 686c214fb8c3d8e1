"""What is drawn of each rule: the lines of inputs that its expressions are followed along."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np

from handbook import scales
from handbook.scales import Scale, input_at

T: Final = "t"
COLUMNS: Final = 160
INPUTS_PER_COLUMN: Final = 4

Entries = float | str | tuple[Any, ...]
"""A number, an expression of t, or rows of them."""


@dataclass(frozen=True, slots=True, eq=False)
class Axis:
    """The numbers that t is, ascending; of so many in a row the worst is drawn.

    `closer` is by how many bits the oracle's difference quotients must be so.
    """

    scale: Scale
    inputs: np.ndarray
    together: int = 1
    closer: int = 0


@dataclass(frozen=True, slots=True)
class Line:
    """Inputs along which the errors of an expression and its repair are measured: by name."""

    source: str
    """The expression as the verifier writes it."""
    given: Mapping[str, Entries] = field(default_factory=lambda: {"x": T})
    axis: Axis = field(default_factory=lambda: WHOLE_RANGE)
    by: str = T
    """The gradient is the sum of those by the entries that are so written."""
    dtype: str = "float32"

    @property
    def inputs_in_words(self) -> str:
        return ", ".join(f"{name} = {_shown(entries)}" for name, entries in self.given.items())


@dataclass(frozen=True, slots=True)
class Course:
    """Inputs along which an expression, or a function of a fixture, is followed.

    `given` holds NumPy's expressions of t. The gradient is that by the input `by`.
    """

    source: str
    """`torch:loss`, or an expression as the verifier writes it."""
    given: Mapping[str, str]
    by: str
    axis: Axis
    dtype: str = "float32"

    @property
    def stem(self) -> str:
        """The fixture's; empty for an expression."""
        stem, _, function = self.source.partition(":")
        return stem if function else ""

    @property
    def function(self) -> str:
        return self.source.partition(":")[2]

    @property
    def inputs_in_words(self) -> str:
        return ", ".join(f"{name} = {text}" for name, text in self.given.items())


def _shown(entries: Entries) -> str:
    if isinstance(entries, tuple):
        return f"[{', '.join(map(_shown, entries))}]"
    return entries if isinstance(entries, str) else f"{entries:g}"


def _both_signs(in_column: int) -> np.ndarray:
    """Float32 numbers: a few of each column of the picture."""
    places = (np.arange(COLUMNS * in_column) + 0.5) / (COLUMNS * in_column)
    positive = np.array([input_at(float(each)) for each in places], dtype=np.float32)
    return np.concatenate([-positive[::-1], positive])


def _with_zero(low: float, high: float, unit: float = 0.0) -> np.ndarray:
    """0 and some numbers between, which are whole multiples of the unit, if there is one."""
    between = np.geomspace(low, high, COLUMNS)
    if unit:
        between = np.unique(np.round(between / unit)) * unit
    return np.concatenate([[0.0], between]).astype(np.float32)


_TENS: Final = {1e-30: "10⁻³⁰", 1e-20: "10⁻²⁰", 1e-10: "10⁻¹⁰", 1.0: "1", 1e10: "10¹⁰"}
_TWOS: Final = {
    2.0**-24: "2⁻²⁴", 2.0**-18: "2⁻¹⁸", 2.0**-12: "2⁻¹²", 2.0**-6: "2⁻⁶", 1.0: "1"
}  # fmt: skip
_OF_HALF: Final = {1e-7: "10⁻⁷", 1e-5: "10⁻⁵", 1e-3: "10⁻³", 0.1: "0.1", 10.0: "10", 1e3: "10³"}

WHOLE_RANGE: Final = Axis(scales.WHOLE_RANGE, _both_signs(INPUTS_PER_COLUMN), INPUTS_PER_COLUMN)
BOTH_SIGNS: Final = Axis(scales.WHOLE_RANGE, _both_signs(1))
FROM_ZERO: Final = Axis(scales.from_zero(1.2e-38, 1e18, _TENS), _with_zero(1.2e-38, 1e18))
"""As far as squares fit."""
UP_TO_ONE: Final = Axis(
    scales.from_zero(2.0**-24, 1.0, _TWOS), _with_zero(2.0**-24, 1 - 2.0**-24, 2.0**-24), closer=24
)
"""Steps of float32 below 1."""
HALVES_UP_TO_ONE: Final = Axis(
    scales.from_zero(2.0**-11, 1.0, {2.0**-11: "2⁻¹¹", 2.0**-6: "2⁻⁶", 1.0: "1"}),
    _with_zero(2.0**-11, 1.0, 2.0**-11),
)
"""Steps of float16 below 1."""
HALVES: Final = Axis(
    scales.from_zero(2.0**-24, 65504.0, _OF_HALF),
    np.unique(_with_zero(2.0**-24, 65504.0).astype(np.float16)).astype(np.float32),
)
"""All of float16 from 0 up."""
LOGITS: Final = Axis(scales.linear(-120, 120, 40), np.arange(-120.0, 121.0, dtype=np.float32))
SMALL_LOGITS: Final = Axis(scales.linear(-4, 4, 1), np.linspace(-4, 4, 33, dtype=np.float32))
ACTIVATIONS: Final = Axis(scales.linear(-400, 400, 100), np.arange(-400.0, 401.0, dtype=np.float32))
COUNTS: Final = Axis(scales.counts(8), np.arange(9.0, dtype=np.float32))

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
    "log-of-one-minus-exp": Line("torch.log(1 - torch.exp(x))"),
    "log-of-one-plus": Line("torch.log(1 + x)"),
    "exp-minus-one": Line("torch.exp(x) - 1"),
    "one-minus-cos": Line("1 - torch.cos(x)"),
    "sqrt-minus-one": Line("torch.sqrt(1 + x) - 1"),
    "difference-of-squares": Line(
        "torch.square(a) - torch.square(b)", {"a": "3 - t", "b": 3.0}, UP_TO_ONE, "3 - t"
    ),
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
    "atan2-at-origin": Line("jnp.arctan2(y, x)", {"y": T, "x": "2 * t"}, FROM_ZERO),
    "log-of-uniform": Line("torch.log(-torch.log(u))", {"u": T}, UP_TO_ONE),
    "division-by-sum": Line(
        "torch.relu(x) / torch.sum(torch.relu(x), dim=-1, keepdim=True)",
        {"x": ("2 * t", T)},
        FROM_ZERO,
    ),
    "division-by-range": Line(
        "(image - torch.amin(image)) / (torch.amax(image) - torch.amin(image))",
        {"image": (0.0, "2 * t", T)},
        FROM_ZERO,
    ),
    "division-by-std": Line(
        "(source - torch.mean(source)) / torch.std(source, correction=1)",
        {"source": ("-t", 0.0, T)},
        FROM_ZERO,
    ),
    "acos-at-edge": Line(
        "torch.acos(torch.clamp(c, min=-1, max=1))", {"c": "1 - t"}, UP_TO_ONE, "1 - t"
    ),
    "epsilon-absorbed": Line("torch.log(1.0000000001 - p)", {"p": "1 - t"}, UP_TO_ONE, "1 - t"),
    "epsilon-underflows": Line(
        "torch.log(x.to(dtype=torch.float16) + 1e-8)", {"x": T}, HALVES, dtype="float16"
    ),
}

_SELECTED: Final = "arange(8) >= 8 - t"
_WRONG: Final = "[[t, 0.0]]"

COURSES: Final[Mapping[str, Course]] = {
    "fractional-power-of-negative": Course("torch:operator", {"x": "[t]"}, "x", BOTH_SIGNS),
    "unguarded-quotient": Course("torch:by_relu", {"y": "[1.0]", "x": "[t]"}, "x", BOTH_SIGNS),
    "nan-patched-output": Course("torch:where_method", {"x": "[t]"}, "x", BOTH_SIGNS),
    "eps-does-not-guard-signed": Course("torch:log_of_tanh", {"x": "[t]"}, "x", BOTH_SIGNS),
    "svd-of-degenerate": Course(
        "torch:second", {"x": "[[1 - t, 0.0], [0.0, 1.0]]"}, "x", UP_TO_ONE
    ),
    "mean-of-empty": Course(
        "torch:of_valid",
        {"loss": "arange(8.0)", "labels": f"where({_SELECTED}, 1, -100)"},
        "loss",
        COUNTS,
    ),
    "std-of-one-sample": Course(
        "torch:selection",
        {"x": "arange(8.0)", "labels": f"where({_SELECTED}, 1, -100)"},
        "x",
        COUNTS,
    ),
    "division-by-count": Course(
        "torch:masked_mean", {"loss": "arange(8.0)", "mask": f"1.0 * ({_SELECTED})"}, "loss", COUNTS
    ),
    "inverse-degree": Course(
        "torch.rsqrt(torch.sum(adj, dim=1))", {"adj": f"[1.0 * ({_SELECTED})]"}, "adj", COUNTS
    ),
    "softmax-of-all-masked": Course(
        "torch:filled", {"x": "arange(8.0)", "mask": _SELECTED}, "x", COUNTS
    ),
    "logsumexp-of-all-masked": Course(
        "torch:direct", {"x": "arange(8.0)", "mask": _SELECTED}, "x", COUNTS
    ),
    "mask-constant-overflows": Course(
        '(1 - mask.astype(dtype="float16")) * -1000000000.0',
        {"mask": "1 - t"},
        "mask",
        HALVES_UP_TO_ONE,
        "float16",
    ),
    "square-overflows-half": Course("torch:squared", {"x": "[t]"}, "x", ACTIVATIONS),
    "arithmetic-overflow": Course(
        "torch:method", {"x": "[[t]]", "y": "[[300.0]]"}, "x", ACTIVATIONS
    ),
    "saturated-gradient": Course("torch:loss", {"x": "[t]", "y": "[0.0]"}, "x", LOGITS),
    "exp-overflow": Course(
        "torch.exp(torch.clamp(x, min=-100, max=100))", {"x": "[t]"}, "x", LOGITS
    ),
    "scale-underflow": Course("torch:epsilon_inside", {"y": "[1.0]", "x": "[t]"}, "x", LOGITS),
    "gradient-cut-by-clip": Course(
        "torch.log(torch.clamp(torch.softmax(x, dim=-1), min=1e-10, max=1.0))",
        {"x": "[[0.0, t]]"},
        "x",
        LOGITS,
    ),
    "bce-after-sigmoid": Course("torch:loss", {"x": "[t]", "y": "[0.0]"}, "x", LOGITS),
    "nll-of-probabilities": Course("torch:loss", {"x": _WRONG, "y": "[0]"}, "x", LOGITS),
    "cross-entropy-of-softmax": Course("torch:loss", {"x": _WRONG, "k": "[0]"}, "x", LOGITS),
    "from-logits-mismatch": Course(
        "keras:binary_loss", {"x": "[[t]]", "y": "[[1.0]]"}, "x", SMALL_LOGITS
    ),
}

UNDRAWN: Final[Mapping[str, str]] = {
    "comparison-with-nan": "it breaks at NaN alone, and nothing is near NaN",
    "gradient-nan-replaced": "it shows at NaN alone, and nothing is near NaN",
    "label-smoothing-of-masked": "a logit is -inf or it is not, and nothing is near",
    "mean-loss-all-ignored": "every label is ignored or one is not, with nothing in between",
    "cholesky-of-singular": "PyTorch, which computes the pictures, raises an error there",
    "ctc-of-short-input": "an input is too short or it is not, with nothing in between",
    "nonfinite-norm-ignored": "it is about infinite gradients, and nothing is near infinity",
    "anomaly-detection-left-on": "it stops at NaN, and elsewhere it is slow",
    "unchecked-nan-features": "a cell is empty or it is not, with nothing in between",
    "clip-before-unscale": "it depends on the scale of the loss, and on no input",
}
"""Why the other rules have no picture."""
