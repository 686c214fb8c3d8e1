# holds: gradient(lambda r: nll(r, jnp.zeros(1), jnp.ones(1)), [-200.0])
import jax
import jax.numpy as jnp


def nll(raw, mean, y, min_scale=1e-3):
    sigma = jax.nn.softplus(raw) + min_scale
    return jnp.mean(jnp.log(sigma) + 0.5 * ((y - mean) / sigma) ** 2)
