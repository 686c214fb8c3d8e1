# holds: gradient(loss, [1.0])
import jax.numpy as jnp


def states():
    positions = jnp.linspace(-10.0, 10.0, 8)
    speeds = 0.99 * jnp.tanh(jnp.linspace(-10.0, 10.0, 8))
    return jnp.stack([positions, speeds]).reshape(2, -1).T


def loss(scale):
    state = states()
    weights = 1 / jnp.sqrt(1 - state[:, 1] ** 2)
    return jnp.sum(weights * scale * state[:, 0])


def of_batch(scale, first=0):
    state = states()[first : first + 4]
    return jnp.sum(jnp.sqrt(1 - state[:, [1]] ** 2) * scale)
