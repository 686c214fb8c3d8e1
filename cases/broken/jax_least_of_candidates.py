# breaks: gradient(lambda x: least(x, jnp.ones(2)), [[1.0, 1.0], [2.0, 3.0]])
import jax
import jax.numpy as jnp


def error(candidate, target):
    return jnp.sqrt(jnp.sum((candidate - target) ** 2))  # expect: NAN203


def least(candidates, target):
    errors = jax.vmap(error, in_axes=(0, None))(candidates, target)
    return jnp.min(errors)
