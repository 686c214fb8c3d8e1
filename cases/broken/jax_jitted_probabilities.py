# breaks: value(decorated, [[1000.0, -1000.0]])
# breaks: value(wrapped, [[1000.0, -1000.0]])
# breaks: value(mapped, [[1000.0, -1000.0]])
# breaks: value(likelihood, [[1000.0, -1000.0]], [1])
from functools import partial

import jax
import jax.numpy as jnp


@partial(jax.jit, static_argnums=1)
def probabilities(x, axis):
    return jax.nn.softmax(x, axis=axis)


def plain(x):
    return jax.nn.softmax(x)


def decorated(x):
    return jnp.log(probabilities(x, -1))  # expect: NAN101 no-fix


fast = jax.jit(plain)


def wrapped(x):
    return jnp.log(fast(x))  # expect: NAN101


def mapped(x):
    return jnp.log(jax.vmap(plain)(x))  # expect: NAN101 unsafe


def likelihood(x, y):
    p = plain(x)
    target = jnp.zeros_like(p).at[jnp.arange(len(y)), y.astype(int)].set(1)
    return jnp.log((p * target).sum(1))  # expect: NAN201 unsafe
