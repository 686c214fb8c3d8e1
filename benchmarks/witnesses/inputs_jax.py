"""Replaces arrays that a test creates with JAX by those of a kind of input."""

from __future__ import annotations

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.random import Generator

from .inputs_numpy import MOST
from .inputs_replaced import ReplacedInputs
from .kinds import Kind
from .places import Places

_DRAWN = {
    jax.random: (
        *("ball", "bernoulli", "beta", "categorical", "cauchy", "choice", "dirichlet"),
        *("exponential", "gamma", "gumbel", "laplace", "logistic", "multivariate_normal"),
        *("normal", "poisson", "randint", "truncated_normal", "uniform"),
    ),
    jnp: ("ones", "zeros", "ones_like", "zeros_like"),
}
_BUILT = {
    jnp: ("array", "asarray", "linspace", "full", "full_like"),
    np: ("array", "asarray"),
}
"""Of NumPy, only floats: tests also write indices and expectations with it."""


class JaxInputs(ReplacedInputs):
    """Arrays that tests draw or build are replaced by `kind`."""

    def __init__(self, kind: Kind, places: Places, rng: Generator) -> None:
        super().__init__(kind, places, rng, _DRAWN, _BUILT, between=("jax/_src/traceback_util.py",))

    def changed(self, made: Any, *, drawn: bool) -> Any:
        """Return an array of the same type, changed by the kind."""
        if isinstance(made, np.ndarray) and made.dtype.kind == "f":
            return self.applied(made, drawn=drawn)
        if not isinstance(made, jax.Array) or isinstance(made, jax.core.Tracer):
            return made
        if not jnp.issubdtype(made.dtype, np.number) and made.dtype != np.bool_:
            return made
        if not 0 < made.size <= MOST:
            return made
        narrow = made.dtype.name in ("bfloat16", "float16")
        array = np.asarray(made.astype(np.float32) if narrow else made)
        changed = self.applied(array, drawn=drawn)
        return jnp.asarray(changed, dtype=made.dtype if changed.dtype == array.dtype else None)


Inputs = JaxInputs
