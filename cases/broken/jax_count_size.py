# breaks: value(masked_loss, [1.0, 2.0], [0.0, 0.0])
import jax.numpy as jnp


def masked_loss(pred, target):
    kept = (pred - target)[target > 0]
    return jnp.sum(kept**2) / kept.shape[0]  # expect: NAN301
