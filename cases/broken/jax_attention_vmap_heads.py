# breaks: value(attend, [[[10.0, 10.0]]], [[[10.0, 10.0], [0.0, 1.0]]], [[[1.0], [2.0]]])
from functools import partial

import jax
import jax.numpy as jnp
from jax import vmap


@partial(vmap, in_axes=(0, 0, 0))
def attend(query, keys, values):
    scores = jnp.einsum("qd,kd->qk", query, keys)
    weights = jnp.exp(scores)
    weights = jnp.tril(weights)
    return (weights / weights.sum(-1, keepdims=True)) @ values  # expect: NAN103 no-fix
