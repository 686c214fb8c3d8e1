# holds: gradient(solve, [0.0, 0.0])
import jax
import jax.numpy as jnp
from jax import lax


def _first_step(x):
    return 0.1 * jnp.sqrt(jnp.sum(x**2))


def solve(x):
    step = lax.stop_gradient(_first_step(x))
    return jnp.sum(x * step + x)


slope = jax.grad(solve)
