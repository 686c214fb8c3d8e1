"""Operations that show something about a value, or depend on it, as bits of `Term.inside`."""

from __future__ import annotations

from typing import Final

from mllint_nan.ir import ops

TELLING: Final = ops.bits_of(
    *("softmax", "log_softmax", "gumbel_softmax", "sigmoid", "tanh", "relu", "softplus"),
    *("exp", "square", "abs", "clip", "maximum", "minimum", "norm", "var", "std"),
    *("normalize", "cosine_similarity", "det", "prod", "distance", "uniform", "ndtr"),
    *("zeros", "zeros_like", "one_hot", "erf", "erfc", "expm1", "cosh", "count_nonzero"),
    *("ones", "ones_like", "full", "full_like", "eye", "normal", "arange", "linspace"),
    *("eq", "ne", "lt", "le", "gt", "ge", "logical_and", "logical_or", "logical_not"),
)
"""Operations whose results are bounded, or saturate, or attain a singular point."""
COMPUTED: Final = TELLING & ~ops.bits_of(
    *("zeros", "zeros_like", "ones", "ones_like", "full", "full_like", "eye", "arange", "linspace"),
    *("uniform", "normal", "eq", "ne", "lt", "le", "gt", "ge"),
    *("logical_and", "logical_or", "logical_not"),
)
"""Those of them that compute numbers: no comparisons, nor initial values, which may be replaced."""
LOGARITHMS: Final = ops.bits_of("log", "log2", "log10", "log1p")
INFINITE: Final = LOGARITHMS | ops.bits_of("log_softmax")
"""Operations that are -inf for some input, by themselves or where scores are masked."""
AROUND_LOGARITHMS: Final = ops.bits_of("add", "sub", "mul", "neg")
MASKING: Final = ops.bits_of("mul", "where")
"""Operations that masks are applied with."""
SQUARING: Final = ops.bits_of("square")
"""Operations that overflow in float16 for ordinary operands."""
SINGULAR: Final = LOGARITHMS | ops.bits_of(
    *("div", "sqrt", "rsqrt", "pow", "logit", "acos", "asin", "atanh", "norm", "std", "xlogy"),
    *("acosh", "atan2", "var", "normalize", "exp", "exp2", "expm1", "mean", "distance", "svd"),
    *("cosine_similarity", "softmax", "logsumexp", "log_softmax", "inv", "det", "cholesky"),
    *("cross_entropy", "nll_loss", "binary_cross_entropy", "binary_cross_entropy_with_logits"),
    *("softmax_cross_entropy", "sigmoid_cross_entropy", "categorical_cross_entropy"),
)
"""Operations that are sound or not, depending on their operands."""
