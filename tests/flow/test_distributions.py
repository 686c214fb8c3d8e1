"""Densities as exp of their logarithms."""

from __future__ import annotations

import pytest

from tests.flow.analysed import logged, value_logged

IMPORTS = """\
import scipy.stats
import tensorflow_probability as tfp
from scipy.stats import multivariate_normal, norm, poisson
from tensorflow_probability import distributions as tfd

"""


@pytest.mark.parametrize(
    "density",
    [
        "norm.pdf(x)",
        "norm.pdf(x, loc=m, scale=s)",
        "norm(m, s).pdf(x)",
        "poisson.pmf(x, m)",
        "multivariate_normal.pdf(x, m, s)",
        "tfd.Normal(m, s).prob(x)",
        "tfp.distributions.Normal(m, s).prob(x)",
        "tfd.Independent(tfd.Normal(m, s), 1).prob(x)",
    ],
)
def test_a_density_underflows_and_does_not_overflow(density: str) -> None:
    text = f"{IMPORTS}def f(x, m, s):\n    torch.log({density})\n"
    assert logged(text) == "exp(opaque)"
    known = value_logged(text)
    assert known.lo == 0.0
    assert known.hi < 1e38


@pytest.mark.parametrize(
    "other", ["norm.cdf(x)", "norm.ppf(x)", "m.prob(x)", "m.pdf(x)", "norm.logpdf(x)"]
)
def test_nothing_else_is_a_density(other: str) -> None:
    assert logged(f"{IMPORTS}def f(x, m):\n    torch.log({other})\n") != "exp(opaque)"
