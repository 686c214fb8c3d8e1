"""A mask stays one whatever it is called once it is a number."""

# breaks: value(lambda x: masked(x, x > 100), [1.0, 2.0])
# breaks: value(lambda x: weighted(x, 0 * x), [1.0, 2.0])
import jax.numpy as jnp


def masked(losses, mask):
    w = mask.astype(jnp.float32)
    return (losses * w).sum() / w.sum()  # expect: NAN301 unsafe


def weighted(losses, weights):
    m = weights.astype(jnp.float32)
    return (losses * m).sum() / m.sum()  # expect: NAN302 possible
