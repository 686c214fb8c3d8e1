"""JAX: `jax.numpy`, `jax.nn`, `jax.scipy.special`, `jax.lax`, the methods of its arrays, Optax."""

from __future__ import annotations

from typing import Final

from mllint_nan.frameworks.numpy import array_functions, array_methods
from mllint_nan.frameworks.signature import Signature, declare

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

# `jax.lax` does not broadcast or promote, so fixes write the other names.
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
    module: str, table: str, declaration: str, *, render: bool = True
) -> tuple[Signature, ...]:
    return tuple(
        signature
        for line in table.strip().splitlines()
        for operation, *names in [line.split()]
        for name in names
        for signature in declare(operation, f"{module}.{name}", declaration, render=render)
    )


_NN: Final = (
    *declare("sigmoid", "jax.nn.sigmoid", "x"),
    *declare("log_sigmoid", "jax.nn.log_sigmoid", "x"),
    *declare("softplus", "jax.nn.softplus", "x"),
    *declare("relu", "jax.nn.relu", "x"),
    *declare("topk", "jax.lax.top_k", "x=operand size=k! -axis", render=False, pair=True),
    *declare("relu6", "jax.nn.relu6", "x"),
    *declare("silu", "jax.nn.silu jax.nn.swish", "x"),
    *declare("gelu", "jax.nn.gelu", "x -approximate"),
    *declare("elu", "jax.nn.elu", "x ?alpha"),
    *declare("leaky_relu", "jax.nn.leaky_relu", "x ?negative_slope"),
    *declare("hard_sigmoid", "jax.nn.hard_sigmoid", "x"),
    *declare("tanh", "jax.nn.tanh", "x"),
    *declare("identity", "jax.nn.identity", "x"),
    *declare("softmax", "jax.nn.softmax", "x axis ?where", defaults={"axis": -1}),
    *declare("log_softmax", "jax.nn.log_softmax", "x axis ?where", defaults={"axis": -1}),
    *declare(
        "logsumexp",
        "jax.nn.logsumexp jax.scipy.special.logsumexp",
        "x=a axis ?b keepdims ?return_sign ?where",
    ),
    *declare("one_hot", "jax.nn.one_hot", "x size=num_classes * -dtype axis"),
)

_LAX: Final = (
    *declare("rsqrt", "jax.lax.rsqrt", "x"),
    *declare("detach", "jax.lax.stop_gradient", "x"),
    *_pointwise("jax.lax", _LAX_UNARY, "x", render=False),
    *_pointwise("jax.lax", _LAX_BINARY, "x y", render=False),
    *declare("div", "jax.lax.reciprocal", "y=x", fixed={"x": 1}, render=False),
    *declare("where", "jax.lax.select", "condition=pred x=on_true y=on_false", render=False),
    *declare("where", "jax.lax.select_n", "condition=which y x", render=False),
    *declare("clip", "jax.lax.clamp", "min! x max!", render=False),
    *declare("cast", "jax.lax.convert_element_type", "x=operand dtype=new_dtype!", render=False),
    *declare(
        "cumsum", "jax.lax.cumsum", "x=operand axis reverse", defaults={"axis": 0}, render=False
    ),
    *declare(
        "cumprod", "jax.lax.cumprod", "x=operand axis ?reverse", defaults={"axis": 0}, render=False
    ),
    *declare(
        "logcumsumexp", "jax.lax.cumlogsumexp", "x=operand axis reverse", defaults={"axis": 0}
    ),
    *declare("matmul", "jax.lax.dot", "x=lhs y=rhs * ?dimension_numbers -precision", render=False),
    *declare("reshape", "jax.lax.reshape", "x=operand shape=new_sizes! ?dimensions", render=False),
    *declare("expand_dims", "jax.lax.expand_dims", "x=array shape=dimensions!", render=False),
    *declare("squeeze", "jax.lax.squeeze", "x=array shape=dimensions!", render=False),
    *declare("transpose", "jax.lax.transpose", "x=operand shape=permutation!", render=False),
    *declare("concat", "jax.lax.concatenate", "x=operands axis=dimension!", render=False),
)

# Optax: its losses compute the same as those of `jax.nn`; none has a `reduction`.
_LOSSES: Final = (
    *declare("softmax_cross_entropy", "optax.softmax_cross_entropy", "logits labels axis ?where"),
    *declare(
        "cross_entropy",
        "optax.softmax_cross_entropy_with_integer_labels",
        "logits labels axis ?where",
        fixed={"reduction": None},
    ),
    *declare("sigmoid_cross_entropy", "optax.sigmoid_binary_cross_entropy", "logits labels"),
)

SPELLINGS: Final[tuple[Signature, ...]] = (
    *array_functions("jax.numpy"),
    *declare("clip", "jax.numpy.clip", "x=arr|a min|a_min max|a_max ?out"),
    *declare("matmul", "jax.numpy.matmul", "x=a y=b * -precision"),
    *(
        signature
        for name in ("dot", "inner", "vdot")
        for signature in declare(
            "dot", f"jax.numpy.{name}", "x=a y=b * -precision", fixed={"by": name}
        )
    ),
    *declare("cast", "jax.numpy.astype", "x dtype * -copy"),
    *declare("cast", "jax.numpy.bfloat16", "x", fixed={"dtype": "bfloat16"}, render=False),
    *array_methods(),
    *_NN,
    *_LOSSES,
    *_pointwise("jax.scipy.special", _SPECIAL, "x"),
    *declare("xlogy", "jax.scipy.special.xlogy", "x y"),
    *declare("ndtri", "jax.scipy.special.ndtri", "x=p"),
    *declare("xlog1py", "jax.scipy.special.xlog1py", "x y"),
    *declare("softmax", "jax.scipy.special.softmax", "x axis"),
    *declare("log_softmax", "jax.scipy.special.log_softmax", "x axis"),
    *declare("log_ndtr", "jax.scipy.stats.norm.logcdf", "x ?loc ?scale", render=False),
    *declare("ndtr", "jax.scipy.stats.norm.cdf", "x ?loc ?scale", render=False),
    *declare("ndtri", "jax.scipy.stats.norm.ppf", "x=q ?loc ?scale", render=False),
    *declare("det", "jax.scipy.linalg.det", "x=a -overwrite_a -check_finite", render=False),
    *declare("inv", "jax.scipy.linalg.inv", "x=a -overwrite_a -check_finite", render=False),
    *_LAX,
    *declare("uniform", "jax.random.uniform", "-key! shape dtype low=minval high=maxval"),
    *declare("normal", "jax.random.normal", "-key! shape -dtype"),
    *declare("identity", "jax.device_put", "x -device", render=False),
    *declare("detach", "jax.device_get", "x", render=False),
)

OLDER: Final[tuple[Signature, ...]] = (
    # The names of the bounds have changed, their positions have not.
    *declare("clip", "jax.numpy.clip", "x=a min=a_min~ max=a_max", by_position=True),
    *declare("clip", "clip", "x=self min=a_min~ max=a_max", by_position=True, method=True),
)
"""What a fix writes if a version that the project allows has none of the usual spellings."""

EFFECTS: Final[tuple[Signature, ...]] = (
    *declare("configure", "jax.config.update jax.config.config.update", "option=name value=val"),
    *declare("detect_anomaly", "jax.debug_nans jax.debug_infs", "enabled=new_val"),
    *declare("map_tree", "jax.tree_util.tree_map jax.tree_map jax.tree.map", "function=f tree"),
    *declare("replace_nan_gradients", "optax.zero_nans", ""),
)
"""Calls that are made for their side effect."""
