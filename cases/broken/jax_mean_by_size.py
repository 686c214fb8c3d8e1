# breaks: mean_error(jnp.array([1.0, 2.0]), jnp.zeros(2))
import jax.numpy as jnp


def mean_error(errors, weight):
    kept = errors[weight > 0]
    return kept.sum() / kept.size  # expect: NAN301
