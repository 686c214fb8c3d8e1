"""The canonical operations: one mathematical function each, whatever a framework calls it.

Rules, transfer functions and the tables of frameworks all refer to these objects. The first
`operands` of `parameters` are tensors; the others are settings, which have a default or are
required (`REQUIRED`). A parameter that a signature leaves out has its default.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Final


class _Required:
    """The default of a parameter that has none."""

    def __repr__(self) -> str:
        return "REQUIRED"


REQUIRED: Final = _Required()

_ordinals = itertools.count()


@dataclass(frozen=True, slots=True, eq=False)
class Operation:
    """A canonical operation.

    `kind` says how it treats its operands:
    `elementwise` (broadcasts), `reduction` (over `axis`, every axis if None), `along` (keeps the
    shape but mixes elements of `axis`), `view` (rearranges or selects the elements of its first
    operand and computes nothing), `comparison` (yields booleans), `constant`, `effect` (a call
    that is made for its side effect: its result stays unknown), `other`.
    """

    name: str
    parameters: tuple[str, ...]
    operands: int
    kind: str
    defaults: Mapping[str, object] = field(default_factory=dict)
    commutative: bool = False
    pure: bool = True
    bit: int = field(init=False, default=0)
    """A bit that no other operation has, 0 for leaves: one number tells which operations a term
    contains."""

    def __post_init__(self) -> None:
        if self.kind not in ("leaf", "pattern"):
            object.__setattr__(self, "bit", 1 << next(_ordinals))

    def __repr__(self) -> str:
        return f"<{self.name}>"

    def __reduce__(self) -> str:
        return self.name.upper()


def _catalogue() -> Mapping[str, Operation]:
    table: dict[str, Operation] = {}

    def define(
        names: str,
        parameters: str,
        kind: str,
        *,
        operands: int = 1,
        commutative: bool = False,
        pure: bool = True,
        **defaults: object,
    ) -> None:
        for name in names.split():
            table[name] = Operation(
                name,
                tuple(parameters.split()),
                operands,
                kind,
                MappingProxyType(defaults),
                commutative,
                pure,
            )

    # Arithmetic. `div` is true division; `pow` keeps an exponent that is not 2, 0.5 or -1.
    define("add mul", "x y", "elementwise", operands=2, commutative=True)
    define("sub div floordiv mod pow atan2 hypot copysign", "x y", "elementwise", operands=2)
    define("maximum minimum logaddexp", "x y", "elementwise", operands=2, commutative=True)
    define("neg abs sign square sqrt rsqrt cbrt floor ceil round", "x", "elementwise")
    define("exp exp2 expm1 log log2 log10 log1p", "x", "elementwise")
    # A log whose operand is kept above 0; no framework has one, projects do.
    define("log_guarded", "x", "elementwise")
    define("sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh", "x", "elementwise")
    define("erf erfc erfinv ndtr ndtri log_ndtr lgamma digamma logit", "x", "elementwise")
    define(
        "sigmoid log_sigmoid relu relu6 silu gelu elu leaky_relu hard_sigmoid", "x", "elementwise"
    )
    define("softplus", "x beta threshold", "elementwise", beta=1, threshold=20)
    define("xlogy xlog1py divide_no_nan multiply_no_nan", "x y", "elementwise", operands=2)
    define("clip", "x min max", "elementwise", min=None, max=None)
    define("where", "condition x y", "elementwise", operands=3)
    define("nan_to_num", "x nan posinf neginf", "elementwise", nan=0.0, posinf=None, neginf=None)

    # Along an axis.
    define("softmax log_softmax", "x axis dtype", "along", axis=None, dtype=None)
    define(
        "gumbel_softmax",
        "x axis temperature hard",
        "along",
        pure=False,
        axis=None,
        temperature=1,
        hard=False,
    )
    define("cumsum cumprod logcumsumexp", "x axis reverse", "along", axis=None, reverse=False)
    define("normalize", "x axis ord epsilon", "along", axis=None, ord=2, epsilon=None)
    define("sort", "x axis", "along", axis=None)
    define("topk", "x size axis largest", "along", size=None, axis=None, largest=True)

    # Reductions. `correction` is the difference between the divisor and the count.
    define(
        "sum mean prod max min any all logsumexp count_nonzero",
        "x axis keepdims",
        "reduction",
        axis=None,
        keepdims=False,
    )
    define("argmax argmin", "x axis keepdims", "reduction", axis=None, keepdims=False)
    define(
        "var std",
        "x axis keepdims correction",
        "reduction",
        axis=None,
        keepdims=False,
        correction=0,
    )
    define("norm", "x axis keepdims ord", "reduction", axis=None, keepdims=False, ord=None)
    define("median", "x axis keepdims", "reduction", axis=None, keepdims=False)

    # Comparisons and logic.
    define("eq ne", "x y", "comparison", operands=2, commutative=True)
    define("lt le gt ge", "x y", "comparison", operands=2)
    define("logical_and logical_or logical_xor", "x y", "comparison", operands=2, commutative=True)
    define("logical_not isnan isinf isfinite", "x", "comparison")

    # Linear algebra and products.
    define("matmul", "x y by", "other", operands=2, by=None)
    define("dot", "x y by", "other", operands=2, by=None)
    define("einsum", "equation x y", "other", operands=3)
    define("det logdet inv cholesky trace", "x", "other")
    define("slogdet svd eigh", "x", "other")
    define("cosine_similarity", "x y axis epsilon", "other", operands=2, axis=None, epsilon=None)
    define("distance", "x y ord by", "other", operands=2, ord=2, by=None)

    # Views: they move or select elements of their first operand.
    define("reshape squeeze expand_dims transpose broadcast flatten", "x shape", "view", shape=None)
    define(
        "gather",
        "x index axis batch_dims by",
        "view",
        operands=2,
        axis=None,
        batch_dims=None,
        by=None,
    )
    define("subscript", "x index", "view", operands=2)
    define("boolean_mask", "x mask", "view", operands=2)
    define("identity", "x", "view")
    define("diagonal", "x of", "view", of=None)
    define("cast", "x dtype", "view", dtype=None)
    define("detach", "x", "view")
    define("without_nan", "x", "view")  # what `nanmean` and the like reduce
    define("concat stack", "x axis", "view", axis=None)
    define("split", "x size axis by", "view", size=None, axis=None, by=None)  # a tuple of views
    define("element", "x", "view")
    define("collect", "x", "view")

    # Constants and draws.
    define("zeros ones", "shape dtype", "constant", operands=0, shape=None, dtype=None)
    define(
        "full", "shape value dtype", "constant", operands=0, shape=None, dtype=None, value=REQUIRED
    )
    define("zeros_like ones_like", "x dtype", "constant", dtype=None)
    define("full_like", "x value dtype", "constant", value=REQUIRED, dtype=None)
    define("eye", "size", "constant", operands=0, size=None)
    define(
        "linspace",
        "start stop num endpoint",
        "constant",
        operands=0,
        start=None,
        stop=None,
        num=None,
        endpoint=True,
    )
    define("arange", "start stop step", "constant", operands=0, start=None, stop=None, step=None)
    define("one_hot", "x size axis", "constant", size=None, axis=None)
    define(
        "uniform",
        "shape low high dtype",
        "constant",
        operands=0,
        pure=False,
        shape=None,
        low=0.0,
        high=1.0,
        dtype=None,
    )
    define(
        "normal",
        "shape mean std",
        "constant",
        operands=0,
        pure=False,
        shape=None,
        mean=0.0,
        std=1.0,
    )
    define("finfo_eps", "dtype", "constant", operands=0, dtype=None)
    define("finfo_tiny", "dtype", "constant", operands=0, dtype=None)
    define("finfo_max finfo_min", "dtype", "constant", operands=0, dtype=None)
    define("size", "x axis", "constant", axis=None)
    define("shape", "x", "constant")

    # Losses. `logits` before activation; `reduction` None keeps the elements, and `weight`
    # weighs them (by class where labels are classes).
    define("softmax_cross_entropy", "labels logits axis", "reduction", operands=2, axis=-1)
    define("sigmoid_cross_entropy", "labels logits", "elementwise", operands=2)
    define(
        "cross_entropy",
        "logits labels reduction weight ignore_index label_smoothing axis",
        "other",
        operands=2,
        reduction="mean",
        weight=None,
        ignore_index=-100,
        label_smoothing=0.0,
        axis=None,
    )
    define(
        "nll_loss",
        "logits labels reduction weight ignore_index",
        "other",
        operands=2,
        reduction="mean",
        weight=None,
        ignore_index=-100,
    )
    # Of sequences: the length of each input, and of each sequence of labels.
    define(
        "ctc_loss",
        "logits labels lengths label_lengths reduction blank zero_infinity",
        "other",
        operands=4,
        reduction="mean",
        blank=0,
        zero_infinity=False,
    )
    define(
        "binary_cross_entropy",
        "x labels from_logits reduction weight",
        "other",
        operands=2,
        from_logits=False,
        reduction="mean",
        weight=None,
    )
    define(
        "binary_cross_entropy_with_logits",
        "logits labels reduction weight pos_weight",
        "other",
        operands=2,
        reduction="mean",
        weight=None,
        pos_weight=None,
    )
    # Of probabilities by class; `sparse`: labels are classes.
    define(
        "categorical_cross_entropy",
        "x labels from_logits sparse reduction label_smoothing",
        "other",
        operands=2,
        from_logits=False,
        sparse=False,
        reduction="mean",
        label_smoothing=0.0,
    )
    define("mse l1 smooth_l1", "x y reduction", "other", operands=2, reduction="mean")

    # Differentiation. `gradient` is d target / d sources.
    define("gradient", "target sources create_graph", "other", operands=2, create_graph=None)

    # Calls made for their effect. The gradient scaler of mixed precision multiplies the loss.
    define(
        "clip_gradient_norm",
        "parameters limit ord error_if_nonfinite",
        "effect",
        pure=False,
        limit=None,
        ord=2,
        error_if_nonfinite=False,
    )
    define("clip_gradient_value", "parameters limit", "effect", pure=False, limit=None)
    define("scale_loss", "scaler loss", "effect", operands=2, pure=False)
    define("unscale scaled_step", "scaler optimizer", "effect", operands=2, pure=False)
    define("detect_anomaly", "enabled", "effect", operands=0, pure=False, enabled=None)
    define(
        "handle_flags",
        "all divide over under invalid",
        "effect",
        operands=0,
        pure=False,
        all=None,
        divide=None,
        over=None,
        under=None,
        invalid=None,
    )
    define("configure", "option value", "effect", operands=2, pure=False)
    define("map_tree", "function tree", "effect", operands=2, pure=False)
    define("register_hook", "tensor function", "effect", operands=2, pure=False)
    define("replace_nan_gradients", "", "effect", operands=0, pure=False)
    define("fit", "model x y", "effect", operands=2, pure=False, y=None)
    return MappingProxyType(table)


CATALOGUE: Final[Mapping[str, Operation]] = _catalogue()


def bits_of(*names: str) -> int:
    """The bits of several operations in one number, for comparison with `Term.inside`."""
    found = 0
    for name in names:
        found |= CATALOGUE[name].bit
    return found


def operation(name: str) -> Operation:
    """The canonical operation called `name`; raises `KeyError` if there is none."""
    return CATALOGUE[name]
