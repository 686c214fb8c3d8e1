import jax
import jax.numpy as jnp


def gumbel(key, shape):
    u = jax.random.uniform(key, shape)
    return -jnp.log(-jnp.log(u))  # expect: NAN211


def st_softmax(key, logits, tau):
    return jax.nn.softmax((logits + gumbel(key, logits.shape)) / tau)
