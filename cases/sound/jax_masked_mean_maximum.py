# holds: value(masked_mean, [1.0, 2.0], [0, 0])
import jax.numpy as jnp


def masked_mean(losses, mask):
    mask = mask.astype(losses.dtype)
    return jnp.sum(losses * mask) / jnp.maximum(mask.sum(), 1)


def where_mean(losses, mask):
    n = jnp.where(mask, 1, 0).sum()
    return jnp.where(mask, losses, 0.0).sum() / jnp.where(n > 0, n, 1)
