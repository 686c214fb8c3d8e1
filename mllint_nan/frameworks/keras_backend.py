"""`keras.backend` of Keras 1 and 2."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mllint_nan.frameworks.keras_names import pointwise, rows
from mllint_nan.frameworks.signature import Signature, declare

_UNARY: Final = """
    abs          abs
    sign         sign
    square       square
    sqrt         sqrt
    round        round
    exp          exp
    log          log
    sin          sin
    cos          cos
    tanh         tanh
    sigmoid      sigmoid
    softplus     softplus
    hard_sigmoid hard_sigmoid
    flatten      flatten batch_flatten
    transpose    transpose
    shape        shape
"""

_BINARY: Final = """
    maximum  maximum
    minimum  minimum
    eq       equal
    ne       not_equal
    lt       less
    le       less_equal
    gt       greater
    ge       greater_equal
    matmul   dot
"""


def _backend(
    operation: str,
    names: str,
    declaration: str,
    *,
    defaults: Mapping[str, object] | None = None,
    render: bool = True,
) -> tuple[Signature, ...]:
    return rows(
        operation, names, declaration, "keras.backend", "2", defaults=defaults, render=render
    )


BACKEND: Final = (
    *pointwise("keras.backend", _UNARY, "x", "2"),
    *pointwise("keras.backend", _BINARY, "x y", "2"),
    *_backend("pow", "pow", "x y=a"),
    *_backend("clip", "clip", "x min=min_value! max=max_value!"),
    *_backend("where", "switch", "condition x=then_expression y=else_expression"),
    *_backend("relu", "relu", "x ?alpha ?max_value ?threshold"),
    *_backend("elu", "elu", "x ?alpha"),
    *_backend("softmax", "softmax", "x axis", defaults={"axis": -1}),
    *_backend("sum", "sum", "x axis keepdims"),
    *_backend("mean", "mean", "x axis keepdims"),
    *_backend("prod", "prod", "x axis keepdims"),
    *_backend("max", "max", "x axis keepdims"),
    *_backend("min", "min", "x axis keepdims"),
    *_backend("any", "any", "x axis keepdims"),
    *_backend("all", "all", "x axis keepdims"),
    *_backend("var", "var", "x axis keepdims"),
    *_backend("std", "std", "x axis keepdims"),
    # Keras 2.0 to 2.2 only.
    *_backend("logsumexp", "logsumexp", "x axis keepdims", render=False),
    *_backend("argmax", "argmax", "x axis", defaults={"axis": -1}),
    *_backend("argmin", "argmin", "x axis", defaults={"axis": -1}),
    *_backend("cumsum", "cumsum", "x axis", defaults={"axis": 0}),
    *_backend("cumprod", "cumprod", "x axis", defaults={"axis": 0}),
    *_backend("normalize", "l2_normalize", "x axis", defaults={"epsilon": 1e-6}),
    *_backend("matmul", "batch_dot", "x y ?axes", render=False),
    *_backend("reshape", "reshape", "x shape!"),
    *_backend("squeeze", "squeeze", "x shape=axis!"),
    *_backend("expand_dims", "expand_dims", "x shape=axis", defaults={"shape": -1}),
    *_backend("transpose", "permute_dimensions", "x shape=pattern!"),
    *_backend("transpose", "reverse", "x shape=axes!", render=False),
    *_backend("broadcast", "tile repeat", "x shape=n!", render=False),
    *_backend("broadcast", "repeat_elements", "x shape=rep! -axis", render=False),
    *_backend("gather", "gather", "x=reference index=indices", defaults={"axis": 0}),
    *_backend("concat", "concatenate", "x=tensors axis", defaults={"axis": -1}),
    *_backend("stack", "stack", "x axis", defaults={"axis": 0}),
    *_backend("cast", "cast", "x dtype!"),
    *_backend("cast", "cast_to_floatx", "x", render=False),
    *_backend("cast", "constant", "x=value dtype ?shape -name"),
    *_backend("detach", "stop_gradient", "x=variables"),
    *_backend("detach", "eval get_value", "x", render=False),
    *_backend("zeros", "zeros", "shape! dtype -name"),
    *_backend("ones", "ones", "shape! dtype -name"),
    *_backend("zeros_like", "zeros_like", "x dtype -name"),
    *_backend("ones_like", "ones_like", "x dtype -name"),
    *_backend("eye", "eye", "size! -dtype -name"),
    *_backend("arange", "arange", "stop * step -dtype"),
    *_backend("arange", "arange", "start stop step -dtype"),
    *_backend("one_hot", "one_hot", "x=indices size=num_classes!"),
    *_backend("uniform", "random_uniform", "shape low=minval high=maxval dtype -seed"),
    *_backend("normal", "random_normal", "shape mean std=stddev -dtype -seed"),
    *_backend("normal", "truncated_normal", "shape mean std=stddev -dtype -seed", render=False),
    *declare(
        "full",
        "keras.backend.epsilon keras.config.epsilon",
        "",
        fixed={"value": 1e-7},
        render=False,
    ),
    *rows(
        "binary_cross_entropy",
        "binary_crossentropy",
        "labels=target x=output from_logits",
        "keras.backend",
        "2",
        fixed={"reduction": None},
        render=False,
    ),
    *_backend("gradient", "gradients", "target=loss sources=variables", render=False),
)
