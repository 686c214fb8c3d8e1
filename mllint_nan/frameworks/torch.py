"""PyTorch: every name under `torch`, the methods of its tensors, and its layers.

Functions come before methods, and `torch.X` before the same function in another module.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mllint_nan.frameworks.signature import Signature, declare

_AXIS: Final = "axis=dim|axis"
_KEEPDIMS: Final = "keepdims=keepdim|keepdims"
_FACTORY: Final = "-device -layout -requires_grad -pin_memory -memory_format"


def _function(
    operation: str,
    names: str,
    declaration: str,
    *,
    render: bool = True,
    pair_with_axis: bool = False,
) -> tuple[Signature, ...]:
    """The functions `names`, whose first parameter is `input`, and the methods of that name."""
    return (
        *declare(
            operation,
            " ".join(f"torch.{name}" for name in names.split()),
            declaration,
            render=render,
            pair_with_axis=pair_with_axis,
        ),
        *_method(
            operation,
            names,
            declaration.replace("=input", "=self", 1),
            render=render,
            pair_with_axis=pair_with_axis,
        ),
    )


def _method(
    operation: str,
    names: str,
    declaration: str,
    *,
    render: bool = True,
    pair_with_axis: bool = False,
    fixed: Mapping[str, object] | None = None,
) -> tuple[Signature, ...]:
    return declare(
        operation,
        names,
        declaration,
        method=True,
        render=render,
        pair_with_axis=pair_with_axis,
        fixed=fixed or {},
    )


def _inplace(
    operation: str, names: str, declaration: str, fixed: Mapping[str, object] | None = None
) -> tuple[Signature, ...]:
    return declare(operation, names, declaration, method=True, inplace=True, fixed=fixed or {})


def _unary(operation: str, names: str = "", special: str = "") -> tuple[Signature, ...]:
    """A pointwise function of one tensor: function, method and in-place method."""
    names = names or operation
    return (
        *declare(operation, " ".join(f"torch.{name}" for name in names.split()), "x=input"),
        *declare(
            operation, " ".join(f"torch.special.{name}" for name in special.split()), "x=input"
        ),
        *_method(operation, names, "x=self"),
        *_inplace(operation, " ".join(f"{name}_" for name in names.split()), "x=self"),
    )


def _binary(operation: str, names: str = "", y: str = "other") -> tuple[Signature, ...]:
    """A pointwise function of two tensors: function, method and in-place method."""
    names = names or operation
    return (
        *_function(operation, names, f"x=input y={y}"),
        *_inplace(operation, " ".join(f"{name}_" for name in names.split()), f"x=self y={y}"),
    )


def _cast(dtype: str, names: str) -> tuple[Signature, ...]:
    return _method("cast", names, "x=self * -memory_format", fixed={"dtype": dtype})


def _layer(
    operation: str,
    names: str,
    declaration: str = "",
    defaults: Mapping[str, object] | None = None,
) -> tuple[Signature, ...]:
    return declare(
        operation,
        " ".join(f"torch.nn.{name}" for name in names.split()),
        declaration,
        constructor=True,
        defaults=defaults or {},
    )


_ARITHMETIC: Final = (
    # `alpha` scales the second operand.
    *_function("add", "add", "x=input y=other * ?alpha"),
    *_function("sub", "sub subtract", "x=input y=other * ?alpha"),
    *declare("sub", "torch.rsub", "y=input x=other * ?alpha", render=False),
    *_function("mul", "mul multiply", "x=input y=other"),
    *_function("div", "div true_divide divide", "x=input y=other * ?rounding_mode"),
    *_inplace("add", "add_", "x=self y=other * ?alpha"),
    *_inplace("sub", "sub_ subtract_", "x=self y=other * ?alpha"),
    *_inplace("mul", "mul_ multiply_", "x=self y=other"),
    *_inplace("div", "div_ true_divide_ divide_", "x=self y=other * ?rounding_mode"),
    *declare("div", "torch.reciprocal", "y=input", fixed={"x": 1}, render=False),
    *_method("div", "reciprocal", "y=self", fixed={"x": 1}, render=False),
    *_inplace("div", "reciprocal_", "y=self", fixed={"x": 1}),
    *declare("div", "torch.reciprocal_", "y=input", fixed={"x": 1}, inplace=True),
    *_binary("floordiv", "floor_divide"),
    *_binary("mod", "remainder"),
    *_function("pow", "pow float_power", "x=input y=exponent"),
    *_inplace("pow", "pow_", "x=self y=exponent"),
    *_binary("atan2", "atan2 arctan2"),
    *_binary("hypot"),
    *_binary("copysign"),
    *_function("maximum", "maximum fmax", "x=input y=other"),
    *_function("minimum", "minimum fmin", "x=input y=other"),
    *_function("logaddexp", "logaddexp", "x=input y=other"),
    *_binary("xlogy"),
    *declare("xlogy", "torch.xlogy_", "x=input y=other", inplace=True),
    *declare("xlogy", "torch.special.xlogy", "x=input y=other"),
    *declare("xlog1py", "torch.special.xlog1py", "x=input y=other"),
    *_unary("neg", "neg negative"),
    *_unary("abs", "abs absolute"),
    *_unary("sign", "sign"),
    *_unary("square"),
    *_unary("sqrt"),
    *_unary("rsqrt"),
    *_unary("floor"),
    *_unary("ceil"),
    *_function("round", "round", "x=input * ?decimals"),
    *_inplace("round", "round_", "x=self * ?decimals"),
)

_FUNCTIONS: Final = (
    *_unary("exp"),
    *_unary("exp2", special="exp2"),
    *_unary("expm1", special="expm1"),
    *_unary("log"),
    *_unary("log2"),
    *_unary("log10"),
    *_unary("log1p", special="log1p"),
    *_unary("sin"),
    *_unary("cos"),
    *_unary("tan"),
    *_unary("asin", "asin arcsin"),
    *_unary("acos", "acos arccos"),
    *_unary("atan", "atan arctan"),
    *_unary("sinh"),
    *_unary("cosh"),
    *_unary("tanh"),
    *_unary("asinh", "asinh arcsinh"),
    *_unary("acosh", "acosh arccosh"),
    *_unary("atanh", "atanh arctanh"),
    *declare("tanh", "torch.nn.functional.tanh", "x=input"),
    *_layer("tanh", "Tanh"),
    *_unary("erf", special="erf"),
    *_unary("erfc", special="erfc"),
    *_method("erfinv", "erfinv", "x=self"),
    *declare("erfinv", "torch.erfinv torch.special.erfinv", "x=input"),
    *_inplace("erfinv", "erfinv_", "x=self"),
    *declare("ndtr", "torch.special.ndtr", "x=input"),
    *declare("ndtri", "torch.special.ndtri", "x=input"),
    *declare("log_ndtr", "torch.special.log_ndtr", "x=input"),
    *declare("lgamma", "torch.lgamma torch.special.gammaln", "x=input"),
    *_method("lgamma", "lgamma", "x=self"),
    *_inplace("lgamma", "lgamma_", "x=self"),
    *declare("digamma", "torch.digamma torch.special.digamma torch.special.psi", "x=input"),
    *_method("digamma", "digamma", "x=self"),
    *_inplace("digamma", "digamma_", "x=self"),
    # `eps` clamps the operand first.
    *_function("logit", "logit", "x=input ?eps"),
    *declare("logit", "torch.special.logit", "x=input ?eps"),
    *_inplace("logit", "logit_", "x=self ?eps"),
)

_ACTIVATIONS: Final = (
    *_unary("sigmoid", special="expit"),
    *declare("sigmoid", "torch.nn.functional.sigmoid", "x=input"),
    *_layer("sigmoid", "Sigmoid"),
    *declare("log_sigmoid", "torch.nn.functional.logsigmoid", "x=input"),
    *_layer("log_sigmoid", "LogSigmoid"),
    *declare("softplus", "torch.nn.functional.softplus", "x=input beta threshold"),
    *_layer("softplus", "Softplus", "beta threshold"),
    *_unary("relu"),
    *declare("relu", "torch.nn.functional.relu", "x=input -inplace"),
    *declare("relu", "torch.nn.functional.relu_", "x=input", inplace=True),
    *_layer("relu", "ReLU", "-inplace"),
    *declare("relu6", "torch.nn.functional.relu6", "x=input -inplace"),
    *_layer("relu6", "ReLU6", "-inplace"),
    *declare("silu", "torch.nn.functional.silu", "x=input -inplace"),
    *_layer("silu", "SiLU", "-inplace"),
    *declare("gelu", "torch.nn.functional.gelu", "x=input * -approximate"),
    *_layer("gelu", "GELU", "-approximate"),
    *declare("elu", "torch.nn.functional.elu", "x=input ?alpha -inplace"),
    *_layer("elu", "ELU", "?alpha -inplace"),
    *declare("leaky_relu", "torch.nn.functional.leaky_relu", "x=input ?negative_slope -inplace"),
    *_layer("leaky_relu", "LeakyReLU", "?negative_slope -inplace"),
    *declare("hard_sigmoid", "torch.nn.functional.hardsigmoid", "x=input -inplace"),
    *_layer("hard_sigmoid", "Hardsigmoid", "-inplace"),
    *_function("softmax", "softmax", f"x=input {_AXIS}! dtype"),
    *declare("softmax", "torch.nn.functional.softmax", "x=input axis=dim -_stacklevel dtype"),
    *declare("softmax", "torch.special.softmax", f"x=input {_AXIS}! dtype"),
    *_layer("softmax", "Softmax", "axis=dim"),
    *_layer("softmax", "Softmax2d", defaults={"axis": -3}),
    *_function("log_softmax", "log_softmax", f"x=input {_AXIS}! dtype"),
    *declare(
        "log_softmax", "torch.nn.functional.log_softmax", "x=input axis=dim -_stacklevel dtype"
    ),
    *declare("log_softmax", "torch.special.log_softmax", f"x=input {_AXIS}! * dtype"),
    *_layer("log_softmax", "LogSoftmax", "axis=dim"),
    *declare(
        "gumbel_softmax",
        "torch.nn.functional.gumbel_softmax",
        "x=logits temperature=tau hard -eps axis=dim",
        defaults={"axis": -1},
    ),
)

_WITH_INPLACE_FUNCTION: Final = (
    "neg abs square sqrt rsqrt floor ceil round exp exp2 expm1 log log2 log10 log1p"
    " sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh erf erfc sigmoid relu"
)

_INPLACE_FUNCTIONS: Final = tuple(
    signature
    for operation in _WITH_INPLACE_FUNCTION.split()
    for signature in declare(operation, f"torch.{operation}_", "x=input", inplace=True)
)

_SELECTION: Final = (
    *_function("clip", "clamp clip", "x=input min max"),
    *_inplace("clip", "clamp_ clip_", "x=self min max"),
    *declare("clip", "torch.clamp_ torch.clip_", "x=input min max", inplace=True),
    *declare(
        "clip",
        "torch.nn.functional.hardtanh",
        "x=input min=min_val max=max_val -inplace",
        defaults={"min": -1.0, "max": 1.0},
        render=False,
    ),
    *_layer(
        "clip", "Hardtanh", "min=min_val max=max_val -inplace", defaults={"min": -1.0, "max": 1.0}
    ),
    *_function("clip", "clamp_min", "x=input min!"),
    *_function("clip", "clamp_max", "x=input max!"),
    *_inplace("clip", "clamp_min_", "x=self min!"),
    *_inplace("clip", "clamp_max_", "x=self max!"),
    *declare("clip", "torch.clamp_min_", "x=input min!", inplace=True),
    *declare("clip", "torch.clamp_max_", "x=input max!", inplace=True),
    # The one-argument form, which gives indices, lacks operands and so does not bind.
    *declare("where", "torch.where", "condition x=input y=other"),
    *_method("where", "where", "x=self condition y=other"),
    *declare("where", "torch.masked_fill", "y=input condition=mask x=value", render=False),
    *_method("where", "masked_fill", "y=self condition=mask x=value", render=False),
    *_inplace("where", "masked_fill_", "y=self condition=mask x=value"),
    *_function("nan_to_num", "nan_to_num", "x=input nan posinf neginf"),
    *_inplace("nan_to_num", "nan_to_num_", "x=self nan posinf neginf"),
    *declare("nan_to_num", "torch.nan_to_num_", "x=input nan posinf neginf", inplace=True),
)

_REDUCTIONS: Final = (
    *_function("sum", "sum", f"x=input {_AXIS} {_KEEPDIMS} * ?dtype"),
    *_function("mean", "mean", f"x=input {_AXIS} {_KEEPDIMS} * ?dtype"),
    *_function("prod", "prod", f"x=input {_AXIS} {_KEEPDIMS} * ?dtype"),
    *_function("max", "amax", f"x=input {_AXIS} {_KEEPDIMS}"),
    *_function("min", "amin", f"x=input {_AXIS} {_KEEPDIMS}"),
    *_function("max", "max", f"x=input {_AXIS} {_KEEPDIMS}", pair_with_axis=True),
    *_function("min", "min", f"x=input {_AXIS} {_KEEPDIMS}", pair_with_axis=True),
    *_function("maximum", "max", "x=input y=other", render=False),
    *_function("minimum", "min", "x=input y=other", render=False),
    *_function("median", "median", f"x=input {_AXIS} {_KEEPDIMS}", pair_with_axis=True),
    *_function("any", "any", f"x=input {_AXIS} {_KEEPDIMS}"),
    *_function("all", "all", f"x=input {_AXIS} {_KEEPDIMS}"),
    *_function("logsumexp", "logsumexp", f"x=input {_AXIS}! {_KEEPDIMS}"),
    *declare("logsumexp", "torch.special.logsumexp", f"x=input {_AXIS}! {_KEEPDIMS}"),
    *_function("count_nonzero", "count_nonzero", f"x=input {_AXIS}"),
    *_function("argmax", "argmax", f"x=input {_AXIS} {_KEEPDIMS}"),
    *_function("argmin", "argmin", f"x=input {_AXIS} {_KEEPDIMS}"),
    *(
        signature
        for operation in ("var", "std")
        for signature in (
            *declare(
                operation,
                f"torch.{operation}",
                f"x=input {_AXIS} * correction {_KEEPDIMS}",
                defaults={"correction": 1},
            ),
            *declare(
                operation,
                operation,
                f"x=self {_AXIS} * correction {_KEEPDIMS}",
                defaults={"correction": 1},
                method=True,
            ),
            # `unbiased` is a correction: True is 1 and False is 0.
            *declare(
                operation,
                f"torch.{operation}",
                f"x=input {_AXIS} correction=unbiased {_KEEPDIMS}",
                defaults={"correction": 1},
                render=False,
            ),
            *declare(
                operation,
                operation,
                f"x=self {_AXIS} correction=unbiased {_KEEPDIMS}",
                defaults={"correction": 1},
                method=True,
                render=False,
            ),
        )
    ),
    *declare("norm", "torch.linalg.vector_norm", f"x|input ord {_AXIS} {_KEEPDIMS} * ?dtype"),
    # Deprecated, or of another order for matrices: read, never written.
    *declare(
        "norm", "torch.norm", "x=input ord=p axis=dim keepdims=keepdim ?out ?dtype", render=False
    ),
    *declare(
        "norm", "torch.linalg.norm", f"x=input ord {_AXIS} {_KEEPDIMS} * ?dtype", render=False
    ),
    *declare(
        "norm",
        "torch.functional.norm",
        "x=input ord=p axis=dim keepdims=keepdim ?out ?dtype",
        render=False,
    ),
    *_method("norm", "norm", "x=self ord=p axis=dim keepdims=keepdim ?dtype", render=False),
)

_ALONG: Final = (
    *_function("cumsum", "cumsum", f"x=input {_AXIS}! * ?dtype"),
    *_function("cumprod", "cumprod", f"x=input {_AXIS}! * ?dtype"),
    *_inplace("cumsum", "cumsum_", f"x=self {_AXIS}! * ?dtype"),
    *_inplace("cumprod", "cumprod_", f"x=self {_AXIS}! * ?dtype"),
    *_function("logcumsumexp", "logcumsumexp", f"x=input {_AXIS}!"),
    *declare(
        "normalize",
        "torch.nn.functional.normalize",
        "x=input ord=p axis=dim epsilon=eps ?out",
        defaults={"axis": 1, "epsilon": 1e-12},
    ),
)

_COMPARISONS: Final = (
    *_binary("eq"),
    *_binary("ne", "ne not_equal"),
    *_binary("lt", "lt less"),
    *_binary("le", "le less_equal"),
    *_binary("gt", "gt greater"),
    *_binary("ge", "ge greater_equal"),
    *_binary("logical_and"),
    *_binary("logical_or"),
    *_binary("logical_xor"),
    *_unary("logical_not"),
    *_function("isnan", "isnan", "x=input"),
    *_function("isinf", "isinf", "x=input"),
    *_function("isfinite", "isfinite", "x=input"),
)

_LINEAR_ALGEBRA: Final = (
    *_function("matmul", "matmul", "x=input y=other"),
    *_function("matmul", "mm bmm", "x=input y=mat2", render=False),
    *_function("matmul", "mv", "x=input y=vec", render=False),
    *declare("matmul", "torch.linalg.matmul", "x=input y=other"),
    *declare("dot", "torch.dot torch.inner", "x=input y=tensor|other"),
    *_method("dot", "dot", "x=self y=tensor"),
    *_method("dot", "inner", "x=self y=other"),
    *declare("dot", "torch.linalg.vecdot", "x y * ?dim", render=False),
    *declare("einsum", "torch.einsum torch.functional.einsum", "equation x y"),
    *declare("det", "torch.linalg.det", "x=A"),
    *_function("det", "det", "x=input"),
    *_function("logdet", "logdet", "x=input"),
    *declare("slogdet", "torch.linalg.slogdet", "x=A"),
    *_function("slogdet", "slogdet", "x=input"),
    *declare("inv", "torch.linalg.inv", "x=A"),
    *_function("inv", "inverse", "x=input"),
    *declare("cholesky", "torch.linalg.cholesky", "x=input * ?upper"),
    *_function("cholesky", "cholesky", "x=input ?upper"),
    *_function("trace", "trace", "x=input"),
    *declare("svd", "torch.linalg.svd", "x=A -full_matrices * -driver"),
    *_function("svd", "svd", "x=input -some ?compute_uv"),
    *declare("eigh", "torch.linalg.eigh", "x=input|A -UPLO"),
    *declare(
        "cosine_similarity",
        "torch.nn.functional.cosine_similarity torch.cosine_similarity",
        "x=x1 y=x2 axis=dim epsilon=eps",
        defaults={"axis": 1, "epsilon": 1e-8},
    ),
    *_layer(
        "cosine_similarity",
        "CosineSimilarity",
        "axis=dim epsilon=eps",
        defaults={"axis": 1, "epsilon": 1e-8},
    ),
    *declare("distance", "torch.cdist torch.functional.cdist", "x=x1 y=x2 ord=p -compute_mode"),
    *declare(
        "distance",
        "torch.nn.functional.pairwise_distance torch.pairwise_distance",
        "x=x1 y=x2 ord=p -eps ?keepdim",
    ),
    *declare("distance", "torch.dist", "x=input y=other ord=p"),
    *_method("distance", "dist", "x=self y=other ord=p"),
    *_layer("distance", "PairwiseDistance", "ord=p -eps ?keepdim"),
)

_VIEWS: Final = (
    *_function("reshape", "reshape", "x=input shape! ..."),
    *_method("reshape", "view", "x=self shape|size|dtype! ..."),
    *_method("reshape", "reshape_as view_as", "x=self shape=other!"),
    *_function("reshape", "unflatten", "x=input -dim shape=sizes!", render=False),
    *_function("flatten", "flatten", "x=input shape=start_dim -end_dim"),
    *_function("flatten", "ravel", "x=input"),
    *_layer("flatten", "Flatten", "shape=start_dim -end_dim"),
    *_layer("reshape", "Unflatten", "-dim shape=unflattened_size"),
    *_function("squeeze", "squeeze", "x=input shape=dim"),
    *_function("expand_dims", "unsqueeze", "x=input shape=dim!"),
    *_inplace("squeeze", "squeeze_", "x=self shape=dim"),
    *_inplace("expand_dims", "unsqueeze_", "x=self shape=dim!"),
    *_function("transpose", "transpose swapaxes swapdims", "x=input shape=dim0|axis0! -dim1|axis1"),
    *_function("transpose", "t", "x=input"),
    *declare("transpose", "torch.permute", "x=input shape=dims!"),
    *_method("transpose", "permute", "x=self shape=dims! ..."),
    *_function("transpose", "movedim moveaxis", "x=input shape=source! -destination"),
    *_function("transpose", "flip", "x=input shape=dims! ...", render=False),
    *_function("diagonal", "diag diagonal", "x=input ?diagonal ?offset ?dim1 ?dim2", render=False),
    *_function("transpose", "roll", "x=input shape=shifts! -dims", render=False),
    *_method("transpose", "adjoint", "x=self", render=False),
    *_method("broadcast", "expand", "x=self shape=size! ..."),
    *_method("broadcast", "expand_as", "x=self shape=other!"),
    *_method("broadcast", "repeat", "x=self shape=repeats! ..."),
    *declare("broadcast", "torch.broadcast_to", "x=input shape=size!"),
    *_method("broadcast", "broadcast_to", "x=self shape=size!"),
    *declare("broadcast", "torch.tile", "x=input shape=dims!", render=False),
    *_method("broadcast", "tile", "x=self shape=dims! ...", render=False),
    *_function(
        "broadcast", "repeat_interleave", "x=input shape=repeats! -dim * -output_size", render=False
    ),
    *_function("gather", "gather", "x=input axis=dim index * -sparse_grad"),
    *_function("gather", "index_select", "x=input axis=dim index"),
    *_function("gather", "take_along_dim", "x=input index=indices axis=dim"),
    *_function("gather", "take", "x=input index"),
    *_function("gather", "select", "x=input axis=dim index", render=False),
    *declare(
        "gather",
        "torch.nn.functional.embedding",
        "index=input x=weight -padding_idx ?max_norm -norm_type -scale_grad_by_freq -sparse",
        render=False,
    ),
    *_function("boolean_mask", "masked_select", "x=input mask"),
    *declare("identity", "torch.clone", "x=input * -memory_format"),
    *_method("identity", "clone contiguous", "x=self * -memory_format"),
    *_method("identity", "cuda", "x=self -device -non_blocking -memory_format"),
    *_method("identity", "cpu", "x=self -memory_format"),
    *_method("identity", "requires_grad_", "x=self -requires_grad", render=False),
    *_method("identity", "pin_memory share_memory_ resolve_conj", "x=self", render=False),
    *_layer("identity", "Identity", "..."),
    *_method("cast", "to", "x=self dtype|other * -non_blocking -copy -device -memory_format"),
    *_method(
        "cast", "to", "x=self -device dtype -non_blocking -copy * -memory_format", render=False
    ),
    *_method("cast", "type", "x=self dtype -non_blocking", render=False),
    *_method("cast", "type_as", "x=self dtype=other!", render=False),
    *_cast("float32", "float"),
    *_cast("float64", "double"),
    *_cast("float16", "half"),
    *_cast("bfloat16", "bfloat16"),
    *_cast("int64", "long"),
    *_cast("int32", "int"),
    *_cast("int16", "short"),
    *_cast("int8", "char"),
    *_cast("uint8", "byte"),
    *_cast("bool", "bool"),
    *declare("cast", "torch.tensor", f"x=data * dtype {_FACTORY}"),
    *declare("cast", "torch.as_tensor torch.asarray", "x=data|obj dtype -device * -requires_grad"),
    *declare("cast", "torch.scalar_tensor", f"x=s * dtype {_FACTORY}", render=False),
    *declare("identity", "torch.from_numpy", "x=ndarray", render=False),
    *_method("detach", "detach", "x=self"),
    *declare("detach", "torch.detach", "x=input"),
    *_inplace("detach", "detach_", "x=self"),
    *_method("detach", "item tolist", "x=self", render=False),
    *_method("detach", "numpy", "x=self * -force", render=False),
    *declare(
        "concat",
        "torch.cat torch.concat torch.concatenate",
        f"x=tensors {_AXIS}",
        defaults={"axis": 0},
    ),
    *declare("stack", "torch.stack", "x=tensors axis=dim", defaults={"axis": 0}),
    *declare("stack", "torch.hstack torch.vstack torch.dstack", "x=tensors", render=False),
)

_CONSTANTS: Final = (
    *declare("zeros", "torch.zeros", f"shape=size ... * dtype {_FACTORY}"),
    *declare("zeros", "torch.empty", f"shape=size ... * dtype {_FACTORY}", render=False),
    *_method(
        "zeros", "new_zeros new_empty", f"-self shape=size ... * dtype {_FACTORY}", render=False
    ),
    *declare("ones", "torch.ones", f"shape=size ... * dtype {_FACTORY}"),
    *_method("ones", "new_ones", f"-self shape=size ... * dtype {_FACTORY}", render=False),
    *declare("full", "torch.full", f"shape=size value=fill_value * dtype {_FACTORY}"),
    *_method(
        "full", "new_full", f"-self shape=size value=fill_value * dtype {_FACTORY}", render=False
    ),
    *_method("cast", "new_tensor", f"-self x=data * dtype {_FACTORY}", render=False),
    *declare("zeros_like", "torch.zeros_like", f"x=input * dtype {_FACTORY}"),
    *declare("ones_like", "torch.ones_like", f"x=input * dtype {_FACTORY}"),
    *declare("full_like", "torch.full_like", f"x=input value=fill_value * dtype {_FACTORY}"),
    *_inplace("zeros_like", "zero_", "x=self"),
    *_inplace("full_like", "fill_", "x=self value"),
    *declare("full_like", "torch.fill_", "x=input value", inplace=True),
    *declare("eye", "torch.eye", f"size=n -m * -dtype {_FACTORY}"),
    *declare("arange", "torch.arange", f"stop=end * -dtype {_FACTORY}"),
    *declare("arange", "torch.arange", f"start stop=end step * -dtype {_FACTORY}"),
    *declare(
        "linspace", "torch.linspace", f"start stop=end num=steps * -dtype {_FACTORY}", render=False
    ),
    *declare("one_hot", "torch.nn.functional.one_hot", "x=input|tensor size=num_classes"),
    *declare("uniform", "torch.rand", f"shape=size ... * -generator dtype {_FACTORY}"),
    *declare("uniform", "torch.rand_like", f"-input * dtype {_FACTORY}", render=False),
    *_inplace("uniform", "uniform_", "-self low=from high=to * -generator"),
    *declare("normal", "torch.randn", f"shape=size ... * -generator -dtype {_FACTORY}"),
    *declare("normal", "torch.randn_like", f"-input * -dtype {_FACTORY}", render=False),
    *declare("normal", "torch.normal", "mean std shape=size * -generator", render=False),
    *_inplace("normal", "normal_", "-self mean std * -generator"),
    *declare("size", "torch.numel", "x=input"),
    *_method("size", "numel nelement", "x=self"),
    *_method("size", "size", "x=self axis=dim!"),
    *_method("shape", "size", "x=self"),
)

_NLL: Final = "weight ?size_average ignore_index ?reduce reduction"
_BCE: Final = "weight ?size_average ?reduce reduction"

_LOSSES: Final = (
    *declare(
        "cross_entropy",
        "torch.nn.functional.cross_entropy",
        f"logits=input labels=target {_NLL} label_smoothing",
    ),
    *_layer("cross_entropy", "CrossEntropyLoss", f"{_NLL} label_smoothing"),
    *declare("nll_loss", "torch.nn.functional.nll_loss", f"logits=input labels=target {_NLL}"),
    *_layer("nll_loss", "NLLLoss", _NLL),
    *declare(
        "binary_cross_entropy",
        "torch.nn.functional.binary_cross_entropy",
        f"x=input labels=target {_BCE}",
    ),
    *_layer("binary_cross_entropy", "BCELoss", _BCE),
    *declare(
        "binary_cross_entropy_with_logits",
        "torch.nn.functional.binary_cross_entropy_with_logits",
        f"logits=input labels=target {_BCE} pos_weight",
    ),
    *_layer("binary_cross_entropy_with_logits", "BCEWithLogitsLoss", f"{_BCE} pos_weight"),
    *declare(
        "mse",
        "torch.nn.functional.mse_loss",
        "x=input y=target ?size_average ?reduce reduction ?weight",
    ),
    *_layer("mse", "MSELoss", "?size_average ?reduce reduction"),
)

_DIFFERENTIATION: Final = (
    # `grad_outputs` weighs the outputs: the result is still some gradient of them.
    *declare(
        "gradient",
        "torch.autograd.grad",
        "target=outputs sources=inputs -grad_outputs -retain_graph create_graph -only_inputs"
        " -allow_unused -is_grads_batched -materialize_grads",
        render=False,
    ),
)

SPELLINGS: Final[tuple[Signature, ...]] = (
    *_ARITHMETIC,
    *_FUNCTIONS,
    *_ACTIVATIONS,
    *_INPLACE_FUNCTIONS,
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

_AUTOGRAD: Final = "torch.autograd torch.autograd.anomaly_mode"
_TRAINERS: Final = (
    "pytorch_lightning lightning lightning.pytorch pytorch_lightning.trainer"
    " pytorch_lightning.trainer.trainer lightning.pytorch.trainer.trainer"
)


def _members(modules: str, names: str) -> str:
    return " ".join(f"{module}.{name}" for module in modules.split() for name in names.split())


_ON: Final = {"enabled": True}
_CLIPPING: Final = "torch.nn.utils torch.nn.utils.clip_grad"

EFFECTS: Final[tuple[Signature, ...]] = (
    *declare(
        "clip_gradient_norm",
        _members(_CLIPPING, "clip_grad_norm_ clip_grad_norm"),
        "parameters limit=max_norm ord=norm_type error_if_nonfinite -foreach",
    ),
    *declare(
        "clip_gradient_value",
        _members(_CLIPPING, "clip_grad_value_"),
        "parameters limit=clip_value -foreach",
    ),
    *_method("scale_loss", "scale", "scaler=self loss=outputs"),
    *_method("register_hook", "register_hook", "tensor=self function=hook"),
    *_method("unscale", "unscale_", "scaler=self optimizer"),
    *_method("scaled_step", "step", "scaler=self optimizer"),
    *declare(
        "detect_anomaly", _members(_AUTOGRAD, "set_detect_anomaly"), "enabled=mode! -check_nan"
    ),
    *declare("detect_anomaly", _members(_AUTOGRAD, "detect_anomaly"), "-check_nan", fixed=_ON),
    *declare("detect_anomaly", _members(_TRAINERS, "Trainer"), "* enabled=detect_anomaly!"),
)
"""The calls that are made for what they do; a fix writes the methods alone."""
