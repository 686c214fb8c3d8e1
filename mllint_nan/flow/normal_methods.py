"""Methods of a normal distribution: `Normal(loc, scale).cdf(x)` is that of (x - loc) / scale."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from mllint_nan.flow.evaluated_arguments import Arguments
from mllint_nan.flow.names import Names
from mllint_nan.ir.term import OPAQUE, Term, peel

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


def of_normal(
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
    for step, parameter in zip(("sub", "div"), made.operands[1:], strict=False):
        x = names.operation(step, (x, parameter), None, framework=framework)
    if is_negated:
        x = names.operation("neg", (x,), None, framework=framework)
    return names.operation(operation, (x,), site, framework=framework)
