"""A sum that a mask of lengths selects, divided by the lengths: nothing is left of a length of 0."""

# breaks: value(lambda x: pooled(x, jnp.array([0])), [[1.0, 2.0]])
# breaks: value(lambda x: chosen(x, jnp.array([0])), [[1.0, 2.0]])
import jax.numpy as jnp


def pooled(x, lengths):
    mask = jnp.arange(x.shape[1])[None] < lengths[:, None]
    return (x * mask).sum(1) / lengths  # expect: NAN309 no-fix


def chosen(x, lengths):
    mask = jnp.arange(x.shape[1])[None] < lengths[:, None]
    return jnp.sum(jnp.where(mask, x, 0), axis=1) / lengths  # expect: NAN309 no-fix
