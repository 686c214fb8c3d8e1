"""A quotient that is replaced where a length is 0, with a divisor that is not 0 there."""

# holds: gradient(lambda x: pooled(x, jnp.array([0])), [[1.0, 2.0]])
# holds: gradient(lambda x: floored(x, jnp.array([0])), [[1.0, 2.0]])
import jax.numpy as jnp


def pooled(x, lengths):
    mask = jnp.arange(x.shape[1])[None] < lengths[:, None]
    total = (x * mask).sum(1)
    return jnp.where(lengths > 0, total / jnp.where(lengths > 0, lengths, 1), 0.0)


def floored(x, lengths):
    mask = jnp.arange(x.shape[1])[None] < lengths[:, None]
    return jnp.sum(jnp.where(mask, x, 0), axis=1) / jnp.maximum(lengths, 1)
