"""PyTorch's functions of single elements: arithmetic, activations, bounds, comparisons."""

from __future__ import annotations

from typing import Final

from mllint_nan.frameworks.signature import declare
from mllint_nan.frameworks.torch_names import AXIS, binary, function, inplace, layer, method, unary

ARITHMETIC: Final = (
    # `alpha` scales the second operand.
    *function("add", "add", "x=input y=other * ?alpha"),
    *function("sub", "sub subtract", "x=input y=other * ?alpha"),
    *declare("sub", "torch.rsub", "y=input x=other * ?alpha", render=False),
    *function("mul", "mul multiply", "x=input y=other"),
    *function("div", "div true_divide divide", "x=input y=other * ?rounding_mode"),
    *inplace("add", "add_", "x=self y=other * ?alpha"),
    *inplace("sub", "sub_ subtract_", "x=self y=other * ?alpha"),
    *inplace("mul", "mul_ multiply_", "x=self y=other"),
    *inplace("div", "div_ true_divide_ divide_", "x=self y=other * ?rounding_mode"),
    *declare("div", "torch.reciprocal", "y=input", fixed={"x": 1}, render=False),
    *method("div", "reciprocal", "y=self", fixed={"x": 1}, render=False),
    *inplace("div", "reciprocal_", "y=self", fixed={"x": 1}),
    *declare("div", "torch.reciprocal_", "y=input", fixed={"x": 1}, inplace=True),
    *binary("floordiv", "floor_divide"),
    *binary("mod", "remainder"),
    *function("pow", "pow float_power", "x=input y=exponent"),
    *inplace("pow", "pow_", "x=self y=exponent"),
    *binary("atan2", "atan2 arctan2"),
    *binary("hypot"),
    *binary("copysign"),
    *function("maximum", "maximum fmax", "x=input y=other"),
    *function("minimum", "minimum fmin", "x=input y=other"),
    *function("logaddexp", "logaddexp", "x=input y=other"),
    *binary("xlogy"),
    *declare("xlogy", "torch.xlogy_", "x=input y=other", inplace=True),
    *declare("xlogy", "torch.special.xlogy", "x=input y=other"),
    *declare("xlog1py", "torch.special.xlog1py", "x=input y=other"),
    *unary("neg", "neg negative"),
    *unary("abs", "abs absolute"),
    *unary("sign", "sign"),
    *unary("square"),
    *unary("sqrt"),
    *unary("rsqrt"),
    *unary("floor"),
    *unary("ceil"),
    *function("round", "round", "x=input * ?decimals"),
    *inplace("round", "round_", "x=self * ?decimals"),
)

FUNCTIONS: Final = (
    *unary("exp"),
    *unary("exp2", special="exp2"),
    *unary("expm1", special="expm1"),
    *unary("log"),
    *unary("log2"),
    *unary("log10"),
    *unary("log1p", special="log1p"),
    *unary("sin"),
    *unary("cos"),
    *unary("tan"),
    *unary("asin", "asin arcsin"),
    *unary("acos", "acos arccos"),
    *unary("atan", "atan arctan"),
    *unary("sinh"),
    *unary("cosh"),
    *unary("tanh"),
    *unary("asinh", "asinh arcsinh"),
    *unary("acosh", "acosh arccosh"),
    *unary("atanh", "atanh arctanh"),
    *declare("tanh", "torch.nn.functional.tanh", "x=input"),
    *layer("tanh", "Tanh"),
    *unary("erf", special="erf"),
    *unary("erfc", special="erfc"),
    *method("erfinv", "erfinv", "x=self"),
    *declare("erfinv", "torch.erfinv torch.special.erfinv", "x=input"),
    *inplace("erfinv", "erfinv_", "x=self"),
    *declare("ndtr", "torch.special.ndtr", "x=input"),
    *declare("ndtri", "torch.special.ndtri", "x=input"),
    *declare("log_ndtr", "torch.special.log_ndtr", "x=input"),
    *declare("lgamma", "torch.lgamma torch.special.gammaln", "x=input"),
    *method("lgamma", "lgamma", "x=self"),
    *inplace("lgamma", "lgamma_", "x=self"),
    *declare("digamma", "torch.digamma torch.special.digamma torch.special.psi", "x=input"),
    *method("digamma", "digamma", "x=self"),
    *inplace("digamma", "digamma_", "x=self"),
    # `eps` clamps the operand first.
    *function("logit", "logit", "x=input ?eps"),
    *declare("logit", "torch.special.logit", "x=input ?eps"),
    *inplace("logit", "logit_", "x=self ?eps"),
)

ACTIVATIONS: Final = (
    *unary("sigmoid", special="expit"),
    *declare("sigmoid", "torch.nn.functional.sigmoid", "x=input"),
    *layer("sigmoid", "Sigmoid"),
    *declare("log_sigmoid", "torch.nn.functional.logsigmoid", "x=input"),
    *layer("log_sigmoid", "LogSigmoid"),
    *declare("softplus", "torch.nn.functional.softplus", "x=input beta threshold"),
    *layer("softplus", "Softplus", "beta threshold"),
    *unary("relu"),
    *declare("relu", "torch.nn.functional.relu", "x=input -inplace"),
    *declare("relu", "torch.nn.functional.relu_", "x=input", inplace=True),
    *layer("relu", "ReLU", "-inplace"),
    *declare("relu6", "torch.nn.functional.relu6", "x=input -inplace"),
    *layer("relu6", "ReLU6", "-inplace"),
    *declare("silu", "torch.nn.functional.silu", "x=input -inplace"),
    *layer("silu", "SiLU", "-inplace"),
    *declare("gelu", "torch.nn.functional.gelu", "x=input * -approximate"),
    *layer("gelu", "GELU", "-approximate"),
    *declare("elu", "torch.nn.functional.elu", "x=input ?alpha -inplace"),
    *layer("elu", "ELU", "?alpha -inplace"),
    *declare("leaky_relu", "torch.nn.functional.leaky_relu", "x=input ?negative_slope -inplace"),
    *layer("leaky_relu", "LeakyReLU", "?negative_slope -inplace"),
    *declare("hard_sigmoid", "torch.nn.functional.hardsigmoid", "x=input -inplace"),
    *layer("hard_sigmoid", "Hardsigmoid", "-inplace"),
    *function("softmax", "softmax", f"x=input {AXIS}! dtype"),
    *declare("softmax", "torch.nn.functional.softmax", "x=input axis=dim -_stacklevel dtype"),
    *declare("softmax", "torch.special.softmax", f"x=input {AXIS}! dtype"),
    *layer("softmax", "Softmax", "axis=dim"),
    *layer("softmax", "Softmax2d", defaults={"axis": -3}),
    *function("log_softmax", "log_softmax", f"x=input {AXIS}! dtype"),
    *declare(
        "log_softmax", "torch.nn.functional.log_softmax", "x=input axis=dim -_stacklevel dtype"
    ),
    *declare("log_softmax", "torch.special.log_softmax", f"x=input {AXIS}! * dtype"),
    *layer("log_softmax", "LogSoftmax", "axis=dim"),
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

INPLACE_FUNCTIONS: Final = tuple(
    signature
    for operation in _WITH_INPLACE_FUNCTION.split()
    for signature in declare(operation, f"torch.{operation}_", "x=input", inplace=True)
)

SELECTION: Final = (
    *function("clip", "clamp clip", "x=input min max"),
    *inplace("clip", "clamp_ clip_", "x=self min max"),
    *declare("clip", "torch.clamp_ torch.clip_", "x=input min max", inplace=True),
    *declare(
        "clip",
        "torch.nn.functional.hardtanh",
        "x=input min=min_val max=max_val -inplace",
        defaults={"min": -1.0, "max": 1.0},
        render=False,
    ),
    *layer(
        "clip", "Hardtanh", "min=min_val max=max_val -inplace", defaults={"min": -1.0, "max": 1.0}
    ),
    *function("clip", "clamp_min", "x=input min!"),
    *function("clip", "clamp_max", "x=input max!"),
    *inplace("clip", "clamp_min_", "x=self min!"),
    *inplace("clip", "clamp_max_", "x=self max!"),
    *declare("clip", "torch.clamp_min_", "x=input min!", inplace=True),
    *declare("clip", "torch.clamp_max_", "x=input max!", inplace=True),
    # The one-argument form, which returns indices, lacks operands and so does not bind.
    *declare("where", "torch.where", "condition x=input y=other"),
    *method("where", "where", "x=self condition y=other"),
    *declare("where", "torch.masked_fill", "y=input condition=mask x=value", render=False),
    *method("where", "masked_fill", "y=self condition=mask x=value", render=False),
    *inplace("where", "masked_fill_", "y=self condition=mask x=value"),
    *function("nan_to_num", "nan_to_num", "x=input nan posinf neginf"),
    *inplace("nan_to_num", "nan_to_num_", "x=self nan posinf neginf"),
    *declare("nan_to_num", "torch.nan_to_num_", "x=input nan posinf neginf", inplace=True),
)

COMPARISONS: Final = (
    *binary("eq"),
    *binary("ne", "ne not_equal"),
    *binary("lt", "lt less"),
    *binary("le", "le less_equal"),
    *binary("gt", "gt greater"),
    *binary("ge", "ge greater_equal"),
    *binary("logical_and"),
    *binary("logical_or"),
    *binary("logical_xor"),
    *unary("logical_not"),
    *function("isnan", "isnan", "x=input"),
    *function("isinf", "isinf", "x=input"),
    *function("isfinite", "isfinite", "x=input"),
)
