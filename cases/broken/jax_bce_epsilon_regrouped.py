# breaks: value(lambda p: jax.jit(bce)(p, jnp.array([0.0])), [1.0])
import jax
import jax.numpy as jnp


def bce(p, y, eps=1e-8):
    p = jnp.clip(p, eps, 1 - 1e-8)  # expect: NAN501 unsafe
    return -jnp.mean(y * jnp.log(p) + (1 - y) * jnp.log(1 - p))
