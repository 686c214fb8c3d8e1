# breaks: gradient(lambda z: bce(z, jnp.array([0.0])), [200.0])
import jax
import jax.numpy as jnp


def bce(logits, y):
    p = jax.nn.sigmoid(logits)
    return -jnp.mean(y * jnp.log(p) + (1 - y) * jnp.log(1 - p))  # expect: NAN108
