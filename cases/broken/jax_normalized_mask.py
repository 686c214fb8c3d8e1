"""A mask is divided by its mean, which is 0 where it selects nothing, and multiplies a loss."""

# breaks: value(masked_loss, [1.0, 2.0], [0.0, 0.0])
import jax.numpy as jnp


def masked_loss(losses, mask):
    mask = mask.astype(jnp.float32)
    return jnp.mean(losses * (mask / jnp.mean(mask)))  # expect: NAN301 no-fix
