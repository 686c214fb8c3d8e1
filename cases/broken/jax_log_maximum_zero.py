# breaks: value(rate_loss, [-1.0], [1.0])
import jax.numpy as jnp


def rate_loss(x, counts):
    rate = jnp.maximum(x, 0)
    return jnp.mean(rate - counts * jnp.log(rate))  # expect: NAN202 unsafe
