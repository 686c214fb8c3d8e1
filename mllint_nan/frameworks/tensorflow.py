"""TensorFlow: every name under `tensorflow`, of both generations, and the methods of its tensors.

The prefixes `tensorflow.compat.v1` and `v2` are left out. A name that both generations have comes
before one that only the second has; a name that only the first has is read but never written.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mllint_nan.frameworks.signature import Signature, declare

# `tf.reduce_sum(input_tensor, axis, keepdims, name, reduction_indices, keep_dims)` and the like.
_REDUCTION: Final = "x=input_tensor axis|reduction_indices keepdims|keep_dims -name"


def _names(names: str) -> str:
    return " ".join(f"tensorflow.{name}" for name in names.split())


def _named(declaration: str) -> str:
    """`declaration` with the parameter `name`, which is the last one of nearly every function."""
    return declaration if "-name" in declaration else f"{declaration} -name"


def _both(
    operation: str,
    names: str,
    declaration: str,
    *,
    fixed: Mapping[str, object] | None = None,
    defaults: Mapping[str, object] | None = None,
    render: bool = True,
) -> tuple[Signature, ...]:
    """Names that TensorFlow 1 and 2 share."""
    return declare(
        operation,
        _names(names),
        _named(declaration),
        fixed=fixed or {},
        defaults=defaults or {},
        render=render,
    )


def _first(
    operation: str,
    names: str,
    declaration: str,
    *,
    fixed: Mapping[str, object] | None = None,
    defaults: Mapping[str, object] | None = None,
) -> tuple[Signature, ...]:
    """Names that only TensorFlow 1 has."""
    return declare(
        operation,
        _names(names),
        _named(declaration),
        fixed=fixed or {},
        defaults=defaults or {},
        generation="1",
        render=False,
    )


def _loss(operation: str, name: str, labels: str, more: str = "") -> tuple[Signature, ...]:
    """A function of TensorFlow 1's `tf.losses`: the mean over all elements."""
    declaration = f"{labels} logits ?weights {more} -scope -loss_collection ?reduction"
    return declare(
        operation, f"tensorflow.losses.{name}", declaration, generation="1", render=False
    )


def _second(operation: str, names: str, declaration: str) -> tuple[Signature, ...]:
    """Names that only TensorFlow 2 has."""
    return declare(operation, _names(names), _named(declaration), generation="2")


def _unary(operation: str, both: str, first: str = "") -> tuple[Signature, ...]:
    return (*_both(operation, both, "x"), *_first(operation, first, "x"))


def _binary(operation: str, both: str, first: str = "") -> tuple[Signature, ...]:
    return (*_both(operation, both, "x y"), *_first(operation, first, "x y"))


def _reduction(operation: str, both: str) -> tuple[Signature, ...]:
    return declare(operation, _names(both), _REDUCTION)


GONE_WITH_ONE: Final = frozenset(
    _names(
        "select sub mul neg inv pack unpack batch_matmul listdiff complex_abs all_variables"
        " initialize_all_variables initialize_local_variables initialize_variables scalar_summary"
        " histogram_summary image_summary merge_summary merge_all_summaries train.SummaryWriter"
    ).split()
)
"""Names that TensorFlow 0.x had, and 1.0 removed."""
BEFORE_ONE: Final = frozenset(
    _names(
        "select sub mul neg add pow div abs sign square sqrt rsqrt exp log maximum minimum"
        " clip_by_value zeros_like ones_like equal not_equal less less_equal greater greater_equal"
        " logical_and logical_or logical_not sigmoid tanh nn.relu nn.softplus nn.softmax"
        " nn.log_softmax"
    ).split()
)
"""Names that a fix may write in code for TensorFlow 0.x, where they mean the same."""

_ARITHMETIC: Final = (
    *_binary("add", "add math.add"),
    *_binary("sub", "subtract math.subtract", "sub"),
    *_binary("mul", "multiply math.multiply", "mul"),
    *_binary("div", "divide math.divide truediv math.truediv realdiv", "div"),
    *_both("div", "math.reciprocal", "y=x", fixed={"x": 1}, render=False),
    *_first("div", "reciprocal inv", "y=x", fixed={"x": 1}),
    *_binary("floordiv", "math.floordiv", "floordiv floor_div"),
    *_binary("mod", "math.floormod math.mod", "mod floormod"),
    *_binary("pow", "pow math.pow"),
    *_both("atan2", "atan2 math.atan2", "x=y y=x"),
    *_binary("maximum", "maximum math.maximum"),
    *_binary("minimum", "minimum math.minimum"),
    *_binary("xlogy", "math.xlogy"),
    *_binary("xlog1py", "math.xlog1py"),
    *_binary("divide_no_nan", "math.divide_no_nan", "div_no_nan"),
    *_both("divide_no_nan", "math.reciprocal_no_nan", "y=x", fixed={"x": 1}, render=False),
    *_binary("multiply_no_nan", "math.multiply_no_nan"),
    *_unary("neg", "negative math.negative", "neg"),
    *_unary("abs", "abs math.abs"),
    *_unary("sign", "sign math.sign"),
    *_unary("square", "square math.square"),
    *_unary("sqrt", "sqrt math.sqrt"),
    *_unary("rsqrt", "math.rsqrt", "rsqrt"),
    *_unary("floor", "floor math.floor"),
    *_unary("ceil", "math.ceil", "ceil"),
    *_unary("round", "round math.round"),
)

_FUNCTIONS: Final = (
    *_unary("exp", "exp math.exp"),
    *_unary("expm1", "math.expm1", "expm1"),
    *_unary("log", "math.log", "log"),
    *_unary("log1p", "math.log1p", "log1p"),
    *_unary("sin", "sin math.sin"),
    *_unary("cos", "cos math.cos"),
    *_unary("tan", "tan math.tan"),
    *_unary("asin", "asin math.asin"),
    *_unary("acos", "acos math.acos"),
    *_unary("atan", "atan math.atan"),
    *_unary("sinh", "sinh math.sinh"),
    *_unary("cosh", "cosh math.cosh"),
    *_unary("tanh", "tanh math.tanh nn.tanh"),
    *_unary("asinh", "asinh math.asinh"),
    *_unary("acosh", "acosh math.acosh"),
    *_unary("atanh", "atanh math.atanh"),
    *_unary("erf", "math.erf", "erf"),
    *_unary("erfc", "math.erfc", "erfc"),
    *_unary("erfinv", "math.erfinv"),
    *_unary("ndtri", "math.ndtri"),
    *_unary("lgamma", "math.lgamma", "lgamma"),
    *_unary("digamma", "math.digamma", "digamma"),
)

_ACTIVATIONS: Final = (
    *_unary("sigmoid", "sigmoid math.sigmoid nn.sigmoid"),
    *_unary("log_sigmoid", "math.log_sigmoid", "log_sigmoid"),
    *_both("softplus", "nn.softplus math.softplus", "x=features"),
    *_both("relu", "nn.relu", "x=features"),
    *_both("relu6", "nn.relu6", "x=features"),
    *declare("silu", _names("nn.silu nn.swish"), "x=features ?beta"),
    *_second("gelu", "nn.gelu", "x=features -approximate"),
    *_both("elu", "nn.elu", "x=features"),
    *_both("leaky_relu", "nn.leaky_relu", "x=features ?alpha"),
    *declare(
        "softmax",
        _names("nn.softmax math.softmax"),
        "x=logits axis|dim -name",
        defaults={"axis": -1},
    ),
    *declare(
        "log_softmax",
        _names("nn.log_softmax math.log_softmax"),
        "x=logits axis|dim -name",
        defaults={"axis": -1},
    ),
)

_SELECTION: Final = (
    *_both("clip", "clip_by_value", "x=t min=clip_value_min! max=clip_value_max!"),
    # Without `x` and `y` it returns indices: operands are missing, so it does not bind.
    *_both("where", "where", "condition x y"),
    *_first("where", "where_v2", "condition x y"),
    *_first("where", "select", "condition x=t|x y=e|y"),
)

_REDUCTIONS: Final = (
    *_reduction("sum", "reduce_sum math.reduce_sum"),
    *_reduction("mean", "reduce_mean math.reduce_mean"),
    *_reduction("prod", "reduce_prod math.reduce_prod"),
    *_reduction("max", "reduce_max math.reduce_max"),
    *_reduction("min", "reduce_min math.reduce_min"),
    *_reduction("any", "reduce_any math.reduce_any"),
    *_reduction("all", "reduce_all math.reduce_all"),
    *_reduction("logsumexp", "reduce_logsumexp math.reduce_logsumexp"),
    *_both("var", "math.reduce_variance", "x=input_tensor axis keepdims"),
    *_both("std", "math.reduce_std", "x=input_tensor axis keepdims"),
    *_both("norm", "math.reduce_euclidean_norm", "x=input_tensor axis keepdims"),
    *_both("norm", "norm linalg.norm", "x=tensor ord axis keepdims|keep_dims"),
    *_both(
        "count_nonzero",
        "math.count_nonzero",
        "x=input|input_tensor axis|reduction_indices keepdims|keep_dims -dtype",
    ),
    *_first(
        "count_nonzero",
        "count_nonzero",
        "x=input_tensor axis|reduction_indices keepdims|keep_dims -dtype",
    ),
    *_both(
        "argmax", "argmax math.argmax", "x=input axis|dimension -output_type", defaults={"axis": 0}
    ),
    *_both(
        "argmin", "argmin math.argmin", "x=input axis|dimension -output_type", defaults={"axis": 0}
    ),
    *_first("argmax", "arg_max", "x=input axis=dimension! -output_type"),
    *_first("argmin", "arg_min", "x=input axis=dimension! -output_type"),
)

_ALONG: Final = (
    *_both("cumsum", "cumsum math.cumsum", "x axis ?exclusive reverse", defaults={"axis": 0}),
    *_both("cumprod", "math.cumprod", "x axis ?exclusive ?reverse", defaults={"axis": 0}),
    *_first("cumprod", "cumprod", "x axis ?exclusive ?reverse", defaults={"axis": 0}),
    *_both(
        "logcumsumexp",
        "math.cumulative_logsumexp",
        "x axis ?exclusive reverse",
        defaults={"axis": 0},
    ),
    # Its own `epsilon`, 1e-12, bounds the square of the norm.
    *_both(
        "normalize",
        "nn.l2_normalize math.l2_normalize linalg.l2_normalize",
        "x axis|dim ?epsilon",
        defaults={"epsilon": 1e-6},
    ),
    *_both("sort", "sort", "x=values axis ?direction", defaults={"axis": -1}),
    *declare(
        "topk",
        _names("nn.top_k math.top_k"),
        "x=input size=k! -sorted -index_type -name",
        render=False,
        pair=True,
    ),
)

_COMPARISONS: Final = (
    *_binary("eq", "equal math.equal"),
    *_binary("ne", "not_equal math.not_equal"),
    *_binary("lt", "less math.less"),
    *_binary("le", "less_equal math.less_equal"),
    *_binary("gt", "greater math.greater"),
    *_binary("ge", "greater_equal math.greater_equal"),
    *_binary("logical_and", "logical_and math.logical_and"),
    *_binary("logical_or", "logical_or math.logical_or"),
    *_binary("logical_xor", "math.logical_xor", "logical_xor"),
    *_unary("logical_not", "logical_not math.logical_not"),
    *_unary("isnan", "math.is_nan", "is_nan debugging.is_nan"),
    *_unary("isinf", "math.is_inf", "is_inf debugging.is_inf"),
    *_unary("isfinite", "math.is_finite", "is_finite debugging.is_finite"),
)

_MATMUL: Final = (
    "x=a y=b ?transpose_a ?transpose_b ?adjoint_a ?adjoint_b -a_is_sparse -b_is_sparse"
    " -output_type -grad_a -grad_b"
)

_LINEAR_ALGEBRA: Final = (
    *_both("matmul", "matmul linalg.matmul", _MATMUL),
    *_both(
        "matmul",
        "linalg.matvec",
        "x=a y=b ?transpose_a ?adjoint_a -a_is_sparse -b_is_sparse",
        fixed={"by": "vector"},
        render=False,
    ),
    *_first("matmul", "batch_matmul", "x y ?adj_x ?adj_y"),
    *_both("einsum", "einsum linalg.einsum", "equation x y * -name"),
    *_both("det", "linalg.det", "x=input"),
    *_first("det", "matrix_determinant", "x=input"),
    *_both("logdet", "linalg.logdet", "x=matrix"),
    *_both("slogdet", "linalg.slogdet", "x=input"),
    *_both("inv", "linalg.inv", "x=input ?adjoint"),
    *_first("inv", "matrix_inverse", "x=input ?adjoint"),
    *_both("cholesky", "linalg.cholesky", "x=input"),
    *_first("cholesky", "cholesky", "x=input"),
    *_both("trace", "linalg.trace", "x"),
    *_first("trace", "trace", "x"),
    *_both("svd", "linalg.svd", "x=tensor -full_matrices ?compute_uv"),
    *_first("svd", "svd", "x=tensor -full_matrices ?compute_uv"),
    *_both("eigh", "linalg.eigh", "x=tensor"),
    *_first("eigh", "self_adjoint_eig", "x=tensor"),
)

_VIEWS: Final = (
    *_both("reshape", "reshape", "x=tensor shape!"),
    *_both("squeeze", "squeeze", "x=input shape=axis|squeeze_dims"),
    *_both("expand_dims", "expand_dims", "x=input shape=axis|dim!"),
    *_both("transpose", "transpose", "x=a shape=perm -name ?conjugate"),
    *_both("transpose", "linalg.matrix_transpose", "x=a -name ?conjugate", render=False),
    *_both("transpose", "reverse", "x=tensor shape=axis!", render=False),
    *_first("transpose", "matrix_transpose", "x=a -name ?conjugate"),
    *_both("diagonal", "linalg.diag_part", "x=input -name ?k", render=False),
    *_first("diagonal", "diag_part", "x=input -name"),
    *_first("diagonal", "matrix_diag_part", "x=input -name ?k"),
    *_both("broadcast", "broadcast_to", "x=input shape!"),
    *_both("broadcast", "tile", "x=input shape=multiples!", render=False),
    *_both("broadcast", "repeat", "x=input shape=repeats! -axis", render=False),
    *_both(
        "gather",
        "gather",
        "x=params index=indices -validate_indices axis batch_dims",
        defaults={"axis": 0},
    ),
    *_both("split", "split", "x=value size=num_or_size_splits! axis -num -name", render=False),
    *_both("split", "unstack", "x=value size=num axis -name", render=False),
    *_both("gather", "gather_nd", "x=params index=indices -name ?batch_dims", render=False),
    *_both(
        "gather",
        "nn.embedding_lookup",
        "x=params index=ids -partition_strategy -name -validate_indices ?max_norm",
        fixed={"axis": 0},
        render=False,
    ),
    *_both("boolean_mask", "boolean_mask", "x=tensor mask -name ?axis"),
    *_both("identity", "identity", "x=input"),
    *_both("identity", "debugging.check_numerics", "x=tensor -message", render=False),
    *_first("identity", "check_numerics", "x=tensor -message"),
    *_both("identity", "ensure_shape", "x -shape", render=False),
    *_both("cast", "cast dtypes.cast", "x dtype!"),
    *_both("cast", "convert_to_tensor", "x=value dtype -name -dtype_hint|preferred_dtype"),
    *_both("cast", "constant", "x=value dtype ?shape -name -verify_shape"),
    *_both("cast", "saturate_cast", "x=value dtype!", render=False),
    *_first("cast", "to_float", "x", fixed={"dtype": "float32"}),
    *_first("cast", "to_double", "x", fixed={"dtype": "float64"}),
    *_first("cast", "to_bfloat16", "x", fixed={"dtype": "bfloat16"}),
    *_first("cast", "to_int32", "x", fixed={"dtype": "int32"}),
    *_first("cast", "to_int64", "x", fixed={"dtype": "int64"}),
    *_both("detach", "stop_gradient", "x=input"),
    *declare("detach", "numpy", "x=self", method=True, render=False),
    *_both("concat", "concat", "x=values axis!"),
    *_both("stack", "stack", "x=values axis", defaults={"axis": 0}),
    *_first("stack", "pack", "x=values axis", defaults={"axis": 0}),
)

_CONSTANTS: Final = (
    *_both("zeros", "zeros", "shape! dtype -name -layout"),
    *_both("ones", "ones", "shape! dtype -name -layout"),
    *_both("full", "fill", "shape=dims! value -name -layout"),
    *_both("zeros_like", "zeros_like", "x=input|tensor dtype -name -optimize * -layout"),
    *_both("ones_like", "ones_like", "x=input|tensor dtype -name -optimize * -layout"),
    *_both("eye", "eye linalg.eye", "size=num_rows! -num_columns ?batch_shape -dtype"),
    *_both("arange", "range", "stop=limit * step=delta -dtype"),
    *_both("arange", "range", "start stop=limit step=delta -dtype"),
    *_both("linspace", "linspace", "start stop num -name -axis", render=False),
    *_both("one_hot", "one_hot", "x=indices size=depth! ?on_value ?off_value axis -dtype"),
    *_both("uniform", "random.uniform", "shape low=minval high=maxval dtype -seed"),
    *_first("uniform", "random_uniform", "shape low=minval high=maxval dtype -seed"),
    *_first(
        "one_hot",
        "contrib.layers.one_hot_encoding",
        "x=labels size=num_classes ?on_value ?off_value -outputs_collections -scope",
    ),
    *_first("softmax", "contrib.layers.softmax", "x=logits -scope", fixed={"axis": -1}),
    *_both("normal", "random.normal", "shape mean std=stddev -dtype -seed"),
    *_both("normal", "random.truncated_normal", "shape mean std=stddev -dtype -seed", render=False),
    *_first("normal", "random_normal truncated_normal", "shape mean std=stddev -dtype -seed"),
    *_both("size", "size", "x=input -name -out_type"),
    *_both("shape", "shape", "x=input -name -out_type"),
    *declare("shape", "get_shape", "x=self", method=True, render=False),
)

_LOSSES: Final = (
    *declare(
        "softmax_cross_entropy",
        _names("nn.softmax_cross_entropy_with_logits"),
        "labels logits axis|dim -name",
    ),
    *_first(
        "softmax_cross_entropy", "nn.softmax_cross_entropy_with_logits_v2", "labels logits axis|dim"
    ),
    *_both("sigmoid_cross_entropy", "nn.sigmoid_cross_entropy_with_logits", "labels logits"),
    *_both(
        "cross_entropy",
        "nn.sparse_softmax_cross_entropy_with_logits",
        "labels logits",
        fixed={"reduction": None},
        render=False,
    ),
    *_loss("cross_entropy", "softmax_cross_entropy", "labels=onehot_labels", "?label_smoothing"),
    *_loss("cross_entropy", "sparse_softmax_cross_entropy", "labels"),
    *_loss(
        "binary_cross_entropy_with_logits",
        "sigmoid_cross_entropy",
        "labels=multi_class_labels",
        "?label_smoothing",
    ),
)

_DIFFERENTIATION: Final = (
    *_both(
        "gradient",
        "gradients",
        "target=ys sources=xs -grad_ys -name -colocate_gradients_with_ops -gate_gradients"
        " -aggregation_method -stop_gradients -unconnected_gradients",
        render=False,
    ),
    *declare(
        "gradient",
        "tensorflow.GradientTape.gradient",
        "-self target sources -output_gradients -unconnected_gradients",
        render=False,
    ),
    *declare(
        "gradient",
        "gradient",
        "-self target sources -output_gradients -unconnected_gradients",
        method=True,
        render=False,
    ),
)

SPELLINGS: Final[tuple[Signature, ...]] = (
    *_ARITHMETIC,
    *_FUNCTIONS,
    *_ACTIVATIONS,
    *_SELECTION,
    *_REDUCTIONS,
    *_ALONG,
    *_COMPARISONS,
    *_LINEAR_ALGEBRA,
    *_VIEWS,
    *_CONSTANTS,
    *_LOSSES,
    *_DIFFERENTIATION,
)

EFFECTS: Final[tuple[Signature, ...]] = (
    *declare(
        "detect_anomaly",
        "tensorflow.debugging.enable_check_numerics",
        "-stack_height_limit -path_length_limit",
        fixed={"enabled": True},
    ),
    *declare("fit", "fit", "model=self x y ...", method=True),
)
"""Calls that are made for their side effect."""
