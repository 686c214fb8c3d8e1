"""Keras: `keras.ops` of Keras 3, `keras.backend` of Keras 1 and 2, activations, layers, losses.

The registry maps `tensorflow.keras` and the other homes of Keras onto `keras`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mllint_nan.frameworks.keras_backend import BACKEND
from mllint_nan.frameworks.keras_names import pointwise, rows
from mllint_nan.frameworks.signature import Signature, declare

_OPS_UNARY: Final = """
    neg          negative
    abs          abs absolute fabs
    sign         sign
    square       square
    sqrt         sqrt
    rsqrt        rsqrt
    cbrt         cbrt
    floor        floor
    ceil         ceil
    exp          exp
    exp2         exp2
    expm1        expm1
    log          log
    log2         log2
    log10        log10
    log1p        log1p
    sin          sin
    cos          cos
    tan          tan
    asin         arcsin
    acos         arccos
    atan         arctan
    sinh         sinh
    cosh         cosh
    tanh         tanh
    asinh        arcsinh
    acosh        arccosh
    atanh        arctanh
    erf          erf
    erfc         erfc
    erfinv       erfinv
    sigmoid      sigmoid
    log_sigmoid  log_sigmoid
    softplus     softplus
    relu         relu
    relu6        relu6
    silu         silu swish
    hard_sigmoid hard_sigmoid
    logical_not  logical_not
    isnan        isnan
    isinf        isinf
    isfinite     isfinite
    det          det
    logdet       logdet
    slogdet      slogdet
    inv          inv
    eigh         eigh
    flatten      ravel
    identity     copy
"""

_OPS_BINARY: Final = """
    add           add
    sub           subtract
    mul           multiply
    div           divide true_divide
    floordiv      floor_divide
    mod           mod
    pow           power
    atan2         arctan2
    hypot         hypot
    maximum       maximum fmax
    minimum       minimum fmin
    logaddexp     logaddexp
    divide_no_nan divide_no_nan
    eq            equal
    ne            not_equal
    lt            less
    le            less_equal
    gt            greater
    ge            greater_equal
    logical_and   logical_and
    logical_or    logical_or
    logical_xor   logical_xor
    matmul        matmul
"""


def _ops(
    operation: str,
    names: str,
    declaration: str,
    *,
    defaults: Mapping[str, object] | None = None,
    fixed: Mapping[str, object] | None = None,
    render: bool = True,
) -> tuple[Signature, ...]:
    return rows(
        operation,
        names,
        declaration,
        "keras.ops",
        "3",
        defaults=defaults,
        fixed=fixed,
        render=render,
    )


def _activation(
    operation: str,
    names: str,
    declaration: str = "x",
    *,
    defaults: Mapping[str, object] | None = None,
    generation: str = "",
) -> tuple[Signature, ...]:
    return rows(operation, names, declaration, "keras.activations", generation, defaults=defaults)


def _layer(
    operation: str,
    name: str,
    declaration: str = "",
    *,
    defaults: Mapping[str, object] | None = None,
    generation: str = "",
) -> tuple[Signature, ...]:
    return declare(
        operation,
        f"keras.layers.{name}",
        f"{declaration} * -name -dtype -trainable -input_shape",
        constructor=True,
        defaults=defaults or {},
        generation=generation,
    )


_OPS: Final = (
    *pointwise("keras.ops", _OPS_UNARY, "x", "3"),
    *pointwise("keras.ops", _OPS_BINARY, "x=x1 y=x2", "3"),
    *_ops("div", "reciprocal", "y=x", fixed={"x": 1}, render=False),
    *_ops("round", "round", "x ?decimals"),
    *_ops("clip", "clip", "x min=x_min! max=x_max!"),
    *_ops("where", "where", "condition x=x1 y=x2"),
    *_ops("nan_to_num", "nan_to_num", "x nan posinf neginf"),
    *_ops("gelu", "gelu", "x -approximate"),
    *_ops("elu", "elu", "x ?alpha"),
    *_ops("leaky_relu", "leaky_relu", "x ?negative_slope"),
    *_ops("softmax", "softmax", "x axis", defaults={"axis": -1}),
    *_ops("log_softmax", "log_softmax", "x axis", defaults={"axis": -1}),
    *_ops("sum", "sum", "x axis keepdims"),
    *_ops("mean", "mean", "x axis keepdims"),
    *_ops("mean", "average", "x axis ?weights", render=False),
    *_ops("prod", "prod", "x axis keepdims ?dtype"),
    *_ops("max", "max", "x axis keepdims ?initial"),
    *_ops("min", "min", "x axis keepdims ?initial"),
    *_ops("max", "amax", "x axis keepdims"),
    *_ops("min", "amin", "x axis keepdims"),
    *_ops("any", "any", "x axis keepdims"),
    *_ops("all", "all", "x axis keepdims"),
    *_ops("logsumexp", "logsumexp", "x axis keepdims"),
    *_ops("var", "var", "x axis keepdims"),
    *_ops("std", "std", "x axis keepdims"),
    *_ops("norm", "norm", "x ord axis keepdims"),
    *_ops("median", "median", "x axis keepdims"),
    *_ops("count_nonzero", "count_nonzero", "x axis"),
    *_ops("argmax", "argmax", "x axis keepdims"),
    *_ops("argmin", "argmin", "x axis keepdims"),
    *_ops("cumsum", "cumsum", "x axis ?dtype"),
    *_ops("cumprod", "cumprod", "x axis ?dtype"),
    *_ops("sort", "sort", "x axis", defaults={"axis": -1}),
    *declare(
        "topk", "keras.ops.top_k", "x size=k! -sorted", generation="3", render=False, pair=True
    ),
    *_ops("normalize", "normalize", "x axis ord=order epsilon", defaults={"axis": -1}),
    *_ops("einsum", "einsum", "equation=subscripts x y"),
    *_ops("cholesky", "cholesky", "x ?upper"),
    *_ops("trace", "trace", "x ?offset ?axis1 ?axis2"),
    *_ops("svd", "svd", "x -full_matrices ?compute_uv"),
    *_ops("distance", "cdist", "x y"),
    *_ops("reshape", "reshape", "x shape=newshape!"),
    *_ops("squeeze", "squeeze", "x shape=axis"),
    *_ops("expand_dims", "expand_dims", "x shape=axis!"),
    *_ops("transpose", "transpose", "x shape=axes"),
    *_ops("transpose", "swapaxes", "x shape=axis1! -axis2"),
    *_ops("transpose", "moveaxis", "x shape=source! -destination"),
    *_ops("transpose", "flip", "x shape=axis", render=False),
    *_ops("diagonal", "diag", "x ?k", fixed={"of": "any"}, render=False),
    *_ops("diagonal", "diagonal", "x ?offset ?axis1 ?axis2", render=False),
    *_ops("transpose", "roll", "x shape=shift! -axis", render=False),
    *_ops("broadcast", "broadcast_to", "x shape!"),
    *_ops("broadcast", "tile", "x shape=repeats!", render=False),
    *_ops("broadcast", "repeat", "x shape=repeats! -axis", render=False),
    *_ops("split", "split", "x size=indices_or_sections! axis", render=False),
    *_ops("split", "unstack", "x size=num axis", render=False),
    *(
        signature
        for name in ("dot", "inner", "vdot")
        for signature in _ops("dot", name, "x=x1 y=x2", fixed={"by": name})
    ),
    *_ops("gather", "take", "x index=indices axis"),
    *_ops("gather", "take_along_axis", "x index=indices axis", fixed={"by": "place"}),
    *_ops("subscript", "get_item", "x index=key", render=False),
    *_ops("concat", "concatenate", "x=xs axis", defaults={"axis": 0}),
    *_ops("stack", "stack", "x axis", defaults={"axis": 0}),
    *_ops("cast", "cast", "x dtype!"),
    *_ops("cast", "saturate_cast", "x dtype!", render=False),
    *_ops("cast", "convert_to_tensor", "x dtype -sparse -ragged"),
    *_ops("cast", "array", "x dtype"),
    *_ops("detach", "stop_gradient", "x=variable"),
    *_ops("detach", "convert_to_numpy", "x", render=False),
    *_ops("zeros", "zeros", "shape! dtype"),
    *_ops("zeros", "empty", "shape! dtype", render=False),
    *_ops("ones", "ones", "shape! dtype"),
    *_ops("full", "full", "shape! value=fill_value dtype"),
    *_ops("zeros_like", "zeros_like", "x dtype"),
    *_ops("ones_like", "ones_like", "x dtype"),
    *_ops("full_like", "full_like", "x value=fill_value dtype"),
    *_ops("eye", "eye", "size=N! -M ?k -dtype"),
    *_ops("arange", "arange", "stop * step -dtype"),
    *_ops("arange", "arange", "start stop step -dtype"),
    *_ops("linspace", "linspace", "start stop num endpoint ?retstep -dtype -axis", render=False),
    *_ops("one_hot", "one_hot", "x size=num_classes! axis -dtype -sparse"),
    *_ops("size", "size", "x"),
    *_ops("shape", "shape", "x"),
    *_ops(
        "binary_cross_entropy",
        "binary_crossentropy",
        "labels=target x=output from_logits",
        fixed={"reduction": None},
    ),
    *declare(
        "uniform",
        "keras.random.uniform",
        "shape low=minval high=maxval dtype -seed",
        generation="3",
    ),
    *declare("normal", "keras.random.normal", "shape mean std=stddev -dtype -seed", generation="3"),
)

_ACTIVATIONS: Final = (
    *_activation("softmax", "softmax", "x axis", defaults={"axis": -1}),
    *_activation("sigmoid", "sigmoid"),
    *_activation("softplus", "softplus"),
    *_activation("relu", "relu", "x ?negative_slope|alpha ?max_value ?threshold"),
    *_activation("tanh", "tanh"),
    *_activation("exp", "exponential"),
    *_activation("elu", "elu", "x ?alpha"),
    *_activation("gelu", "gelu", "x -approximate"),
    *_activation("silu", "swish silu"),
    *_activation("hard_sigmoid", "hard_sigmoid"),
    *_activation("identity", "linear"),
    *_activation("log_softmax", "log_softmax", "x axis", defaults={"axis": -1}, generation="3"),
    *_activation("log_sigmoid", "log_sigmoid", generation="3"),
    *_activation("relu6", "relu6", generation="3"),
    *_activation("leaky_relu", "leaky_relu", "x ?negative_slope", generation="3"),
)


_LAYERS: Final = (
    *_layer("softmax", "Softmax", "axis", defaults={"axis": -1}),
    *_layer("relu", "ReLU", "?max_value ?negative_slope ?threshold"),
    *_layer("elu", "ELU", "?alpha"),
    *_layer("leaky_relu", "LeakyReLU", "?negative_slope|alpha"),
    *_layer("flatten", "Flatten", "-data_format"),
    *_layer("reshape", "Reshape", "shape=target_shape"),
    *_layer("transpose", "Permute", "shape=dims"),
    *_layer("broadcast", "RepeatVector", "shape=n"),
    *_layer("identity", "Identity", generation="3"),
    *_layer("concat", "Concatenate", "axis", defaults={"axis": -1}),
    *declare(
        "concat",
        "keras.layers.concatenate",
        "x=inputs axis -name",
        defaults={"axis": -1},
        render=False,
    ),
)


def _categorical(sparse: bool, name: str, options: str) -> tuple[Signature, ...]:
    """The signatures of a cross entropy of classes: functions per sample, and the loss object."""
    title = "".join(word.title() for word in name.split("_"))
    return (
        *declare(
            "categorical_cross_entropy",
            f"keras.losses.{name}_crossentropy keras.metrics.{name}_crossentropy",
            f"labels=y_true x=y_pred from_logits {options}",
            fixed={"reduction": None, "sparse": sparse},
            render=False,
        ),
        *declare(
            "categorical_cross_entropy",
            f"keras.losses.{title}Crossentropy",
            f"from_logits * {options} ?reduction -name -dtype",
            fixed={"sparse": sparse},
            constructor=True,
            call=("labels", "x"),
        ),
        *declare(
            "categorical_cross_entropy",
            f"keras.backend.{name}_crossentropy",
            "labels=target x=output from_logits ?axis",
            fixed={"reduction": None, "sparse": sparse},
            generation="2",
            render=False,
        ),
        *declare(
            "categorical_cross_entropy",
            f"keras.ops.{name}_crossentropy",
            "labels=target x=output from_logits ?axis",
            fixed={"reduction": None, "sparse": sparse},
            generation="3",
            render=False,
        ),
    )


_MEAN: Final[Mapping[str, object]] = {"reduction": "mean"}

# The loss functions average over the last axis only, the loss objects over all elements.
_LOSSES: Final = (
    *declare(
        "binary_cross_entropy",
        "keras.losses.binary_crossentropy keras.metrics.binary_crossentropy",
        "labels=y_true x=y_pred from_logits ?label_smoothing ?axis",
        fixed=_MEAN,
        render=False,
    ),
    *declare(
        "binary_cross_entropy",
        "keras.losses.BinaryCrossentropy",
        "from_logits ?label_smoothing ?axis ?reduction -name -dtype",
        fixed=_MEAN,
        constructor=True,
        call=("labels", "x"),
    ),
    *(
        signature
        for sparse, name, options in (
            (False, "categorical", "label_smoothing ?axis"),
            (True, "sparse_categorical", "?ignore_class ?axis"),
        )
        for signature in _categorical(sparse, name, options)
    ),
    *declare(
        "mse",
        "keras.losses.mean_squared_error keras.losses.mse",
        "x=y_true y=y_pred",
        fixed=_MEAN,
        render=False,
    ),
    *declare(
        "mse",
        "keras.losses.MeanSquaredError",
        "?reduction -name -dtype",
        fixed=_MEAN,
        constructor=True,
    ),
    *declare("one_hot", "keras.utils.to_categorical", "x size=num_classes -dtype", render=False),
)

SPELLINGS: Final[tuple[Signature, ...]] = (
    *_OPS,
    *_ACTIVATIONS,
    *BACKEND,
    *_LAYERS,
    *_LOSSES,
)

EFFECTS: Final[tuple[Signature, ...]] = (*declare("fit", "fit", "model=self x y ...", method=True),)
"""Calls that are made for their side effect."""
