"""NumPy and SciPy, and Python's own `math` and built-in functions.

`jax.numpy` repeats NumPy's names and parameters, so it shares `array_functions` and
`array_methods`. A call that passes `out`, `where`, `initial` or a `dtype` is opaque.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mllint_nan.frameworks.signature import Signature, declare

_SUM: Final = "x=a axis ?dtype ?out keepdims"
_MAX: Final = "x=a axis ?out keepdims"
_VAR: Final = "x=a axis ?dtype ?out correction=ddof|correction keepdims"
_LEAVING_NAN_OUT: Final[Mapping[str, str]] = {
    **dict.fromkeys(("sum", "mean"), _SUM),
    **dict.fromkeys(("max", "min"), _MAX),
    **dict.fromkeys(("var", "std"), "x=a axis ?dtype ?out correction=ddof keepdims"),
}
"""Reductions that also have a version without NaN (`nansum`), and the parameters of both."""

_UNARY: Final = """
    neg          negative
    abs          abs absolute fabs
    sign         sign
    square       square
    sqrt         sqrt
    cbrt         cbrt
    floor        floor
    ceil         ceil
    round        rint
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
    asin         arcsin asin
    acos         arccos acos
    atan         arctan atan
    sinh         sinh
    cosh         cosh
    tanh         tanh
    asinh        arcsinh asinh
    acosh        arccosh acosh
    atanh        arctanh atanh
    logical_not  logical_not
    isnan        isnan
    isinf        isinf
    isfinite     isfinite
"""

_BINARY: Final = """
    add          add
    sub          subtract
    mul          multiply
    div          divide true_divide
    floordiv     floor_divide
    mod          mod remainder
    pow          power pow float_power
    atan2        arctan2 atan2
    hypot        hypot
    copysign     copysign
    maximum      maximum fmax
    minimum      minimum fmin
    logaddexp    logaddexp
    eq           equal
    ne           not_equal
    lt           less
    le           less_equal
    gt           greater
    ge           greater_equal
    logical_and  logical_and
    logical_or   logical_or
    logical_xor  logical_xor
"""

_DTYPES: Final = "float16 float32 float64 int8 int16 int32 int64 uint8 uint16 uint32 uint64"


def _each(module: str, names: str) -> str:
    return " ".join(f"{module}.{name}" for name in names.split())


def array_functions(module: str) -> tuple[Signature, ...]:
    """The functions that `numpy` and `jax.numpy` have in common."""

    def row(
        operation: str,
        names: str,
        declaration: str,
        *,
        defaults: Mapping[str, object] | None = None,
        fixed: Mapping[str, object] | None = None,
        render: bool = True,
        leaves_nan_out: bool = False,
    ) -> tuple[Signature, ...]:
        return declare(
            operation,
            _each(module, names),
            declaration,
            defaults=defaults or {},
            fixed=fixed or {},
            render=render,
            leaves_nan_out=leaves_nan_out,
        )

    def pointwise(table: str, declaration: str) -> tuple[Signature, ...]:
        rows = (line.split(maxsplit=1) for line in table.strip().splitlines())
        return tuple(
            signature
            for operation, names in rows
            for signature in row(operation, names, declaration)
        )

    return (
        *pointwise(_UNARY, "x"),
        *pointwise(_BINARY, "x=x1 y=x2"),
        *row("div", "reciprocal", "y=x", fixed={"x": 1}, render=False),
        *row("round", "round around", "x=a ?decimals ?out"),
        *row("where", "where", "condition x y"),
        *row("nan_to_num", "nan_to_num", "x -copy nan posinf neginf"),
        # Reductions.
        *row("sum", "sum", _SUM),
        *row("mean", "mean", _SUM),
        *row("mean", "average", "x=a axis ?weights ?returned * keepdims", render=False),
        *row("prod", "prod", _SUM),
        *row("max", "max amax", _MAX),
        *row("min", "min amin", _MAX),
        *row("any", "any", _MAX),
        *row("all", "all", _MAX),
        *row("argmax", "argmax", _MAX),
        *row("argmin", "argmin", _MAX),
        *row("var", "var", _VAR),
        *row("std", "std", _VAR),
        *row("median", "median", "x=a axis ?out -overwrite_input keepdims"),
        *(
            signature
            for operation, declaration in _LEAVING_NAN_OUT.items()
            for signature in row(operation, f"nan{operation}", declaration, leaves_nan_out=True)
        ),
        *row("count_nonzero", "count_nonzero", "x=a axis keepdims"),
        *row("norm", "linalg.norm", "x ord axis keepdims"),
        *row("norm", "linalg.vector_norm", "x * ord axis keepdims", render=False),
        *row(
            "norm",
            "linalg.matrix_norm",
            "x * ord keepdims",
            fixed={"axis": (-2, -1)},
            render=False,
        ),
        # Along an axis.
        *row("cumsum", "cumsum", "x=a axis ?dtype ?out"),
        *row("cumprod", "cumprod", "x=a axis ?dtype ?out"),
        *row("sort", "sort", "x=a axis -kind ?order * -stable", defaults={"axis": -1}),
        # Linear algebra.
        *row("einsum", "einsum", "equation=subscripts x y * -optimize"),
        *row("det", "linalg.det", "x=a"),
        *row("slogdet", "linalg.slogdet", "x=a"),
        *row("inv", "linalg.inv", "x=a"),
        *row("cholesky", "linalg.cholesky", "x=a * ?upper"),
        *row("trace", "trace", "x=a ?offset ?axis1 ?axis2"),
        *row("svd", "linalg.svd", "x=a -full_matrices ?compute_uv -hermitian"),
        *row("eigh", "linalg.eigh", "x=a -UPLO"),
        # Views.
        *row("reshape", "reshape", "x=a shape|newshape! -order * -copy"),
        *row("flatten", "ravel", "x=a -order"),
        *row("squeeze", "squeeze", "x=a shape=axis"),
        *row("expand_dims", "expand_dims", "x=a shape=axis!"),
        *row("transpose", "transpose", "x=a shape=axes"),
        *row("transpose", "swapaxes", "x=a shape=axis1! -axis2"),
        *row("transpose", "moveaxis", "x=a shape=source! -destination"),
        *row("transpose", "flip", "x=m shape=axis", render=False),
        *row("diagonal", "diag", "x=v ?k", fixed={"of": "any"}, render=False),
        *row("diagonal", "diagonal", "x=a ?offset ?axis1 ?axis2", render=False),
        *row("transpose", "roll", "x=a shape=shift! -axis", render=False),
        *row("broadcast", "broadcast_to", "x=array shape!"),
        *row("broadcast", "tile", "x=A shape=reps!", render=False),
        *row("broadcast", "repeat", "x=a shape=repeats! -axis", render=False),
        *row("expand_dims", "atleast_1d atleast_2d", "x", render=False),
        *row("boolean_mask", "extract", "mask=condition x=arr"),
        *row("boolean_mask", "compress", "mask=condition x=a ?axis ?out"),
        *row("split", "split array_split", "x=ary size=indices_or_sections! axis", render=False),
        *(
            signature
            for name in ("hsplit", "vsplit", "dsplit")
            for signature in row(
                "split", name, "x=ary size=indices_or_sections!", fixed={"by": name}, render=False
            )
        ),
        *row("gather", "take", "x=a index=indices axis ?out -mode"),
        *row("gather", "take_along_axis", "x=arr index=indices axis", fixed={"by": "place"}),
        *row("concat", "concatenate", "x=arrays axis", defaults={"axis": 0}),
        *row("stack", "stack", "x=arrays axis", defaults={"axis": 0}),
        *row("stack", "hstack vstack dstack column_stack", "x=tup", render=False),
        *row("identity", "copy", "x=a -order"),
        *row("cast", "asarray", "x=a dtype -order * -copy"),
        *row("cast", "array", "x=object dtype * -copy -order -ndmin"),
        *(
            signature
            for dtype in _DTYPES.split()
            for signature in row("cast", dtype, "x", fixed={"dtype": dtype}, render=False)
        ),
        *row("cast", "bool_", "x", fixed={"dtype": "bool"}, render=False),
        # Constants.
        *row("zeros", "zeros", "shape! dtype"),
        *row("zeros", "empty", "shape! dtype", render=False),
        *row("ones", "ones", "shape! dtype"),
        *row("full", "full", "shape! value=fill_value dtype"),
        *row("zeros_like", "zeros_like", "x=a dtype"),
        *row("ones_like", "ones_like", "x=a dtype"),
        *row("full_like", "full_like", "x=a value=fill_value dtype"),
        *row("eye", "eye", "size=N! -M ?k -dtype"),
        *row("eye", "identity", "size=n! -dtype", render=False),
        *row("arange", "arange", "stop * step -dtype"),
        *row("arange", "arange", "start stop step -dtype"),
        *row("linspace", "linspace", "start stop num endpoint ?retstep -dtype -axis", render=False),
        *row("size", "size", "x=a axis"),
        *row("shape", "shape", "x=a"),
    )


def array_methods() -> tuple[Signature, ...]:
    """The methods that the arrays of NumPy and JAX have in common."""

    def row(
        operation: str,
        names: str,
        declaration: str,
        *,
        defaults: Mapping[str, object] | None = None,
        fixed: Mapping[str, object] | None = None,
        render: bool = True,
    ) -> tuple[Signature, ...]:
        return declare(
            operation,
            names,
            declaration,
            method=True,
            defaults=defaults or {},
            fixed=fixed or {},
            render=render,
        )

    total = _SUM.replace("=a ", "=self ")
    extreme = _MAX.replace("=a ", "=self ")
    spread = _VAR.replace("=a ", "=self ")
    return (
        *row("sum", "sum", total),
        *row("mean", "mean", total),
        *row("prod", "prod", total),
        *row("max", "max", extreme),
        *row("min", "min", extreme),
        *row("any", "any", extreme),
        *row("all", "all", extreme),
        *row("argmax", "argmax", extreme),
        *row("argmin", "argmin", extreme),
        *row("var", "var", spread),
        *row("std", "std", spread),
        *row("clip", "clip", "x=self min max"),
        *row("round", "round", "x=self ?decimals ?out"),
        *row("cumsum", "cumsum", "x=self axis ?dtype ?out"),
        *row("cumprod", "cumprod", "x=self axis ?dtype ?out"),
        *row("dot", "dot", "x=self y=b", fixed={"by": "dot"}),
        *row("trace", "trace", "x=self ?offset ?axis1 ?axis2"),
        *row("reshape", "reshape", "x=self shape! ... * -order"),
        *row("flatten", "ravel flatten", "x=self -order"),
        *row("squeeze", "squeeze", "x=self shape=axis"),
        *row("transpose", "transpose", "x=self shape=axes ..."),
        *row("transpose", "swapaxes", "x=self shape=axis1! -axis2"),
        *row("broadcast", "repeat", "x=self shape=repeats! -axis", render=False),
        *row("gather", "take", "x=self index=indices axis ?out -mode"),
        *row("cast", "astype", "x=self dtype!"),
        *row("identity", "copy", "x=self"),
        *row("detach", "item tolist", "x=self", render=False),
    )


_SCIPY: Final = """
    sigmoid      expit
    log_sigmoid  log_expit
    logit        logit
    erf          erf
    erfc         erfc
    erfinv       erfinv
    ndtri        ndtri
    ndtr         ndtr
    log_ndtr     log_ndtr
    lgamma       gammaln
    digamma      digamma psi
    log1p        log1p
    expm1        expm1
    exp2         exp2
    cbrt         cbrt
"""

_VALIDATIONS: Final = "sklearn.utils.check_array sklearn.utils.validation.check_array"
"""Functions of a library that return their argument as an array, or raise an exception."""
_OF_ESTIMATORS: Final = "sklearn.utils.validation.validate_data"
"""The same for an argument of an estimator; given targets as well, it returns a pair."""
_CHECKS: Final = (
    "-accept_large_sparse dtype -order -copy -force_writeable -force_all_finite -ensure_all_finite"
    " -ensure_non_negative -ensure_2d -allow_nd -ensure_min_samples -ensure_min_features"
    " -estimator -input_name"
)

SPELLINGS: Final[tuple[Signature, ...]] = (
    *array_functions("numpy"),
    *declare("clip", "numpy.clip", "x=a min=a_min|min~ max=a_max|max~ ?out"),
    *declare("cast", "numpy.astype", "x dtype * -copy"),
    *declare("cast", "numpy.ascontiguousarray", "x=a dtype", render=False),
    *declare("matmul", "numpy.matmul", "x=x1 y=x2"),
    *(
        signature
        for name in ("dot", "inner", "vdot")
        for signature in declare("dot", f"numpy.{name}", "x=a y=b", fixed={"by": name})
    ),
    *declare("dot", "numpy.linalg.vecdot numpy.vecdot", "x=x1 y=x2", render=False),
    *array_methods(),
    *declare("full_like", "fill", "x=self value", method=True, inplace=True),
    *(
        signature
        for line in _SCIPY.strip().splitlines()
        for operation, names in [line.split(maxsplit=1)]
        for signature in declare(operation, _each("scipy.special", names), "x")
    ),
    *declare("ndtr", "scipy.stats.norm.cdf", "x ?loc ?scale", render=False),
    *declare("ndtri", "scipy.stats.norm.ppf", "x=q ?loc ?scale", render=False),
    *declare("log_ndtr", "scipy.stats.norm.logcdf", "x ?loc ?scale", render=False),
    *declare("xlogy", "scipy.special.xlogy", "x=x1 y=x2"),
    *declare("xlog1py", "scipy.special.xlog1py", "x=x1 y=x2"),
    *declare("softmax", "scipy.special.softmax", "x axis"),
    *declare("log_softmax", "scipy.special.log_softmax", "x axis"),
    *declare("logsumexp", "scipy.special.logsumexp", "x=a axis ?b keepdims ?return_sign"),
    *declare("norm", "scipy.linalg.norm", "x=a ord axis keepdims -check_finite", render=False),
    *declare("det", "scipy.linalg.det", "x=a -overwrite_a -check_finite", render=False),
    *declare("inv", "scipy.linalg.inv", "x=a -overwrite_a -check_finite", render=False),
    *declare("cast", _VALIDATIONS, f"x=array -accept_sparse * {_CHECKS}", render=False),
    *declare(
        "cast",
        _OF_ESTIMATORS,
        "-_estimator x=X ?y -reset -validate_separately -skip_check_array"
        f" * -accept_sparse {_CHECKS}",
        render=False,
    ),
    *declare("uniform", "numpy.random.uniform", "low high shape=size"),
    *declare("uniform", "numpy.random.random numpy.random.random_sample", "shape=size"),
    *declare("uniform", "numpy.random.rand", "shape ...", render=False),
    *declare("normal", "numpy.random.normal", "mean=loc std=scale shape=size"),
    *declare("normal", "numpy.random.standard_normal", "shape=size"),
    *declare("normal", "numpy.random.randn", "shape ...", render=False),
)

_MATH: Final = """
    exp exp2 expm1 log log2 log10 log1p sqrt cbrt floor ceil
    sin cos tan asin acos atan sinh cosh tanh asinh acosh atanh
    erf erfc lgamma isnan isinf isfinite
"""

MATH_SPELLINGS: Final[tuple[Signature, ...]] = (
    *(
        signature
        for name in _MATH.split()
        for signature in declare(name, f"math.{name}", "x", scalar_only=True)
    ),
    *declare("pow", "math.pow", "x y", scalar_only=True),
    *declare("atan2", "math.atan2", "x=y y=x", scalar_only=True),
    *declare("hypot", "math.hypot", "x y", scalar_only=True),
    *declare("copysign", "math.copysign", "x y", scalar_only=True),
    *declare("abs", "builtins.abs", "x"),
    *declare("abs", "math.fabs", "x", scalar_only=True),
    *declare("pow", "builtins.pow", "x=base y=exp"),
    *declare("round", "builtins.round", "x=number"),
    *declare("sum", "builtins.sum", "x=iterable"),
    *declare("sum", "math.fsum", "x=seq", scalar_only=True, render=False),
    *declare("prod", "math.prod", "x=iterable", scalar_only=True, render=False),
    *declare("max", "builtins.max", "x"),
    *declare("min", "builtins.min", "x"),
    *declare("maximum", "builtins.max", "x y"),
    *declare("minimum", "builtins.min", "x y"),
    *declare("any", "builtins.any", "x"),
    *declare("all", "builtins.all", "x"),
    *declare("transpose", "builtins.reversed", "x", render=False),
    *declare("size", "builtins.len", "x", fixed={"axis": 0}, render=False),
    *declare("cast", "builtins.float", "x", fixed={"dtype": "float64"}, render=False),
    *declare("cast", "builtins.int", "x", fixed={"dtype": "int64"}, render=False),
    *declare("cast", "builtins.bool", "x", fixed={"dtype": "bool"}, render=False),
    *declare("uniform", "random.random", "", render=False),
    *declare("uniform", "random.uniform", "low=a high=b", render=False),
    *declare("normal", "random.gauss", "mean=mu std=sigma", render=False),
)

EFFECTS: Final[tuple[Signature, ...]] = (
    *declare("handle_flags", "numpy.errstate", "* all divide over under invalid"),
)
"""Calls that are made for their side effect."""
