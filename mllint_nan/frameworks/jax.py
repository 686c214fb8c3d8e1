"""JAX: `jax.numpy`, `jax.nn`, `jax.scipy.special`, `jax.lax`, the methods of its arrays, Optax."""

from __future__ import annotations

from typing import Final

from mllint_nan.frameworks.numpy import array_functions, array_methods
from mllint_nan.frameworks.spelling import Spelling, spell

_SPECIAL: Final = """
    sigmoid      expit
    logit        logit
    erf          erf
    erfc         erfc
    erfinv       erfinv
    ndtr         ndtr
    log_ndtr     log_ndtr
    lgamma       gammaln
    digamma      digamma
"""

# `jax.lax` does not broadcast or promote, so a fix writes the other names.
_LAX_UNARY: Final = """
    neg          neg
    abs          abs
    sign         sign
    square       square
    sqrt         sqrt
    cbrt         cbrt
    floor        floor
    ceil         ceil
    exp          exp
    exp2         exp2
    expm1        expm1
    log          log
    log1p        log1p
    sin          sin
    cos          cos
    tan          tan
    asin         asin
    acos         acos
    atan         atan
    sinh         sinh
    cosh         cosh
    tanh         tanh
    asinh        asinh
    acosh        acosh
    atanh        atanh
    erf          erf
    erfc         erfc
    erfinv       erf_inv
    lgamma       lgamma
    digamma      digamma
    sigmoid      logistic
    isfinite     is_finite
"""

_LAX_BINARY: Final = """
    add      add
    sub      sub
    mul      mul
    div      div
    pow      pow integer_pow
    atan2    atan2
    maximum  max
    minimum  min
    eq       eq
    ne       ne
    lt       lt
    le       le
    gt       gt
    ge       ge
"""


def _pointwise(
    module: str, table: str, signature: str, *, render: bool = True
) -> tuple[Spelling, ...]:
    return tuple(
        spelling
        for line in table.strip().splitlines()
        for operation, *names in [line.split()]
        for name in names
        for spelling in spell(operation, f"{module}.{name}", signature, render=render)
    )


_NN: Final = (
    *spell("sigmoid", "jax.nn.sigmoid", "x"),
    *spell("log_sigmoid", "jax.nn.log_sigmoid", "x"),
    *spell("softplus", "jax.nn.softplus", "x"),
    *spell("relu", "jax.nn.relu", "x"),
    *spell("relu6", "jax.nn.relu6", "x"),
    *spell("silu", "jax.nn.silu jax.nn.swish", "x"),
    *spell("gelu", "jax.nn.gelu", "x -approximate"),
    *spell("elu", "jax.nn.elu", "x ?alpha"),
    *spell("leaky_relu", "jax.nn.leaky_relu", "x ?negative_slope"),
    *spell("hard_sigmoid", "jax.nn.hard_sigmoid", "x"),
    *spell("tanh", "jax.nn.tanh", "x"),
    *spell("identity", "jax.nn.identity", "x"),
    *spell("softmax", "jax.nn.softmax", "x axis ?where", defaults={"axis": -1}),
    *spell("log_softmax", "jax.nn.log_softmax", "x axis ?where", defaults={"axis": -1}),
    *spell(
        "logsumexp",
        "jax.nn.logsumexp jax.scipy.special.logsumexp",
        "x=a axis ?b keepdims ?return_sign ?where",
    ),
    *spell("one_hot", "jax.nn.one_hot", "x size=num_classes * -dtype axis"),
)

_LAX: Final = (
    *spell("rsqrt", "jax.lax.rsqrt", "x"),
    *spell("detach", "jax.lax.stop_gradient", "x"),
    *_pointwise("jax.lax", _LAX_UNARY, "x", render=False),
    *_pointwise("jax.lax", _LAX_BINARY, "x y", render=False),
    *spell("div", "jax.lax.reciprocal", "y=x", fixed={"x": 1}, render=False),
    *spell("where", "jax.lax.select", "condition=pred x=on_true y=on_false", render=False),
    *spell("where", "jax.lax.select_n", "condition=which y x", render=False),
    *spell("clip", "jax.lax.clamp", "min! x max!", render=False),
    *spell("cast", "jax.lax.convert_element_type", "x=operand dtype=new_dtype!", render=False),
    *spell(
        "cumsum", "jax.lax.cumsum", "x=operand axis ?reverse", defaults={"axis": 0}, render=False
    ),
    *spell(
        "cumprod", "jax.lax.cumprod", "x=operand axis ?reverse", defaults={"axis": 0}, render=False
    ),
    *spell("logcumsumexp", "jax.lax.cumlogsumexp", "x=operand axis ?reverse", defaults={"axis": 0}),
    *spell("matmul", "jax.lax.dot", "x=lhs y=rhs * ?dimension_numbers -precision", render=False),
    *spell("reshape", "jax.lax.reshape", "x=operand shape=new_sizes! ?dimensions", render=False),
    *spell("expand_dims", "jax.lax.expand_dims", "x=array shape=dimensions!", render=False),
    *spell("squeeze", "jax.lax.squeeze", "x=array shape=dimensions!", render=False),
    *spell("transpose", "jax.lax.transpose", "x=operand shape=permutation!", render=False),
    *spell("concat", "jax.lax.concatenate", "x=operands axis=dimension!", render=False),
)

# Optax, whose losses take what `jax.nn` computes; none has a `reduction`.
_LOSSES: Final = (
    *spell("softmax_cross_entropy", "optax.softmax_cross_entropy", "logits labels axis ?where"),
    *spell(
        "cross_entropy",
        "optax.softmax_cross_entropy_with_integer_labels",
        "logits labels axis ?where",
        fixed={"reduction": None},
    ),
    *spell("sigmoid_cross_entropy", "optax.sigmoid_binary_cross_entropy", "logits labels"),
)

SPELLINGS: Final[tuple[Spelling, ...]] = (
    *array_functions("jax.numpy"),
    *spell("clip", "jax.numpy.clip", "x=arr|a min|a_min max|a_max ?out"),
    *spell("matmul", "jax.numpy.matmul", "x=a y=b * -precision"),
    *spell("dot", "jax.numpy.dot jax.numpy.inner jax.numpy.vdot", "x=a y=b * -precision"),
    *spell("cast", "jax.numpy.astype", "x dtype * -copy"),
    *spell("cast", "jax.numpy.bfloat16", "x", fixed={"dtype": "bfloat16"}, render=False),
    *array_methods(),
    *_NN,
    *_LOSSES,
    *_pointwise("jax.scipy.special", _SPECIAL, "x"),
    *spell("xlogy", "jax.scipy.special.xlogy", "x y"),
    *spell("ndtri", "jax.scipy.special.ndtri", "x=p"),
    *spell("xlog1py", "jax.scipy.special.xlog1py", "x y"),
    *spell("softmax", "jax.scipy.special.softmax", "x axis"),
    *spell("log_softmax", "jax.scipy.special.log_softmax", "x axis"),
    *spell("log_ndtr", "jax.scipy.stats.norm.logcdf", "x ?loc ?scale", render=False),
    *spell("ndtr", "jax.scipy.stats.norm.cdf", "x ?loc ?scale", render=False),
    *spell("ndtri", "jax.scipy.stats.norm.ppf", "x=q ?loc ?scale", render=False),
    *spell("det", "jax.scipy.linalg.det", "x=a -overwrite_a -check_finite", render=False),
    *spell("inv", "jax.scipy.linalg.inv", "x=a -overwrite_a -check_finite", render=False),
    *_LAX,
    *spell("uniform", "jax.random.uniform", "-key! shape dtype low=minval high=maxval"),
    *spell("normal", "jax.random.normal", "-key! shape -dtype"),
    *spell("identity", "jax.device_put", "x -device", render=False),
    *spell("detach", "jax.device_get", "x", render=False),
)

EFFECTS: Final[tuple[Spelling, ...]] = (
    *spell("configure", "jax.config.update jax.config.config.update", "option=name value=val"),
    *spell("detect_anomaly", "jax.debug_nans jax.debug_infs", "enabled=new_val"),
    *spell("map_tree", "jax.tree_util.tree_map jax.tree_map jax.tree.map", "function=f tree"),
    *spell("replace_nan_gradients", "optax.zero_nans", ""),
)
"""The calls that are made for what they do."""
