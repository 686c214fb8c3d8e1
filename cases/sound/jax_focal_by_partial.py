# holds: gradient(lambda z: LOSSES["soft"](z, jnp.ones((1, 2))), [[200.0, 0.0]])
from functools import partial

import jax
import jax.numpy as jnp


def focal(logits, targets, *, gamma):
    p = jax.nn.sigmoid(logits)
    right = targets * p + (1 - targets) * (1 - p)
    error = jax.nn.softplus(-logits) * targets + jax.nn.softplus(logits) * (1 - targets)
    return jnp.mean((1.0 - right) ** gamma * error)


LOSSES = {"hard": partial(focal, gamma=2.0), "soft": partial(focal, gamma=1.0)}


def step(loss, params, x, y):
    return jax.grad(lambda p: loss(x @ p, y))(params)


def train(params, x, y):
    return step(LOSSES["soft"], params, x, y)
