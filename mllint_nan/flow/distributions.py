"""Functions and methods of distributions.

Those of a normal one as of the standard one of `(x - loc) / scale`, densities as exp of their
logarithms.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Final

from mllint_nan.domains.interval import INF, Interval
from mllint_nan.domains.value import Value
from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.flow.names import Names
from mllint_nan.ir.term import OPAQUE, Term, peel

OF_STANDARD_NORMAL: Final[Mapping[str, str]] = {
    f"{module}.norm.{function}": operation
    for module in ("scipy.stats", "jax.scipy.stats")
    for function, operation in {"cdf": "ndtr", "logcdf": "log_ndtr", "ppf": "ndtri"}.items()
}
"""Functions of the normal distribution, and what they compute for mean 0 and deviation 1."""
_PARAMETERS: Final = ("x", "loc", "scale")
_CALL: Final = "call "
_NORMALS: Final = frozenset(
    (
        "torch.distributions.Normal",
        "torch.distributions.normal.Normal",
        "pyro.distributions.Normal",
        "tensorflow.distributions.Normal",
        "tensorflow.compat.v1.distributions.Normal",
        "tensorflow.contrib.distributions.Normal",
        "tensorflow_probability.distributions.Normal",
        "tensorflow_probability.substrates.jax.distributions.Normal",
        "numpyro.distributions.Normal",
        "distrax.Normal",
        "scipy.stats.norm",
    )
)
_METHODS: Final[Mapping[str, tuple[str, bool]]] = {
    "cdf": ("ndtr", False),
    "survival_function": ("ndtr", True),
    "sf": ("ndtr", True),
    "log_cdf": ("log_ndtr", False),
    "logcdf": ("log_ndtr", False),
    "log_survival_function": ("log_ndtr", True),
    "logsf": ("log_ndtr", True),
}
"""What each computes of the standardised value, and whether of its negative."""
_DENSITY_OF: Final = re.compile(r"^(?:jax\.)?scipy\.stats\.(?:\w+\.)?p[dm]f$")
_MAKES_DISTRIBUTION: Final = re.compile(
    r"^(?:tensorflow_probability|tensorflow\.(?:contrib\.)?distributions|distrax|scipy\.stats"
    r"|tensorflow\.compat\.v1\.distributions)\."
)
_LOGARITHMS_OF: Final[Mapping[str, str]] = {"prob": "log_prob", "pdf": "logpdf", "pmf": "logpmf"}
LOG_DENSITY: Final = Value(Interval(-INF, 80.0))
"""The range of a log density: one above e**80 needs a scale below 1e-35."""


def is_log_density(call: str) -> bool:
    """Whether an opaque call is that of a log density."""
    return call.startswith(_CALL) and call.rpartition(".")[2] in _LOGARITHMS_OF.values()


def gives_density(path: str) -> bool:
    """Whether a function returns the density of a distribution, or probabilities: `norm.pdf`."""
    return _DENSITY_OF.match(path) is not None


def is_density_term(term: Term) -> bool:
    """Whether a term is such a density, which is 0 in float32 far from the mass."""
    if term.operation.name != "exp":
        return False
    logarithm = peel(term.operands[0])
    return logarithm.operation is OPAQUE and is_log_density(str(logarithm.detail))


def density(
    names: Names, site: object, path: str, arguments: Arguments, framework: str | None
) -> Term:
    """Such a result as exp of the logarithm, which the library can compute as well."""
    before, _, last = path.rpartition(".")
    logarithm = names.opaque(
        f"call {before}.{_LOGARITHMS_OF[last]}",
        arguments.everything(),
        None,
        pure=True,
        framework=framework,
    )
    return names.operation("exp", (logarithm,), site, framework=framework)


def density_of(
    names: Names, site: object, receiver: Term, method: str, arguments: Arguments
) -> Term | None:
    """The result of `prob` or `pdf` of a distribution object; `None` for any other call."""
    made = peel(receiver)
    if method not in _LOGARITHMS_OF or made.operation is not OPAQUE:
        return None
    path = str(made.detail).removeprefix(_CALL)
    if _MAKES_DISTRIBUTION.match(path) is None:
        return None
    given = Arguments((receiver, *arguments.positional), arguments.keywords, arguments.others)
    return density(names, site, f"{path}.{method}", given, made.framework)


def method_of_normal(
    names: Names, site: object, receiver: Term, method: str, arguments: Arguments
) -> Term | None:
    """The result of a method of a normal distribution; `None` for any other call."""
    if method not in _METHODS or len(arguments.positional) != 1 or arguments.others:
        return None
    made = peel(receiver)
    path = str(made.detail).removeprefix(_CALL)
    if made.operation is not OPAQUE or path not in _NORMALS or len(made.operands) not in (1, 3):
        return None
    x, framework = arguments.positional[0], made.framework or arguments.positional[0].framework
    operation, is_negated = _METHODS[method]
    loc, scale = made.operands[1:] or (None, None)
    x = _carried_out(names, x, (("sub", loc), ("div", scale)), framework)
    if is_negated:
        x = names.operation("neg", (x,), None, framework=framework)
    return names.operation(operation, (x,), site, framework=framework)


def function_of_normal(
    names: Names, site: object, path: str, arguments: Arguments, framework: str | None
) -> Term | None:
    """`norm.cdf(x, loc, scale)` of `(x - loc) / scale`; the result of `ppf` is transformed back."""
    given = {**dict(zip(_PARAMETERS, arguments.positional, strict=False)), **arguments.keywords}
    x = given.pop("q" if "q" in given else "x", None)
    loc, scale = given.pop("loc", None), given.pop("scale", None)
    if x is None or given or arguments.others or len(arguments.positional) > len(_PARAMETERS):
        return None
    operation = OF_STANDARD_NORMAL[path]
    if operation == "ndtri":
        quantile = names.operation(operation, (x,), site, framework=framework)
        return _carried_out(names, quantile, (("mul", scale), ("add", loc)), framework)
    standard = _carried_out(names, x, (("sub", loc), ("div", scale)), framework)
    return names.operation(operation, (standard,), site, framework=framework)


def _carried_out(
    names: Names, x: Term, steps: tuple[tuple[str, Term | None], ...], framework: str | None
) -> Term:
    """Apply one operation after the other, leaving out those without an operand."""
    for name, other in steps:
        if other is not None:
            x = names.operation(name, (x, other), None, framework=framework)
    return x
