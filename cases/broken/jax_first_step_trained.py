# breaks: gradient(solve, [0.0, 0.0])
import jax
import jax.numpy as jnp


def _first_step(x):
    return 0.1 * jnp.sqrt(jnp.sum(x**2))  # expect: NAN203


def solve(x):
    step = _first_step(x)
    return jnp.sum(x * step + x)


slope = jax.grad(solve)
