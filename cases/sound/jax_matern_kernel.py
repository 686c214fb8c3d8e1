# holds: jax.grad(loss)({"log_ls": 0.0}, jnp.eye(2), jnp.ones(2))["log_ls"]
# holds: jax.grad(between)({"log_ls": 0.0}, jnp.eye(2), jnp.ones((2, 2)) * 3.0)["log_ls"]
# holds: jax.grad(smooth)({"log_ls": 0.0}, jnp.eye(2), jnp.ones(2))["log_ls"]
import jax
import jax.numpy as jnp


def sqdist(a, b):
    return jnp.sum((a[:, None, :] - b[None, :, :]) ** 2, axis=-1)


def matern(p, a, b):
    ls = jnp.exp(p["log_ls"])
    s = jnp.sqrt(3.0) * jnp.sqrt(jnp.maximum(sqdist(a / ls, b / ls), 1e-12))
    return (1 + s) * jnp.exp(-s)


def gaussian(p, a, b):
    ls = jnp.exp(p["log_ls"])
    return jnp.exp(-sqdist(a / ls, b / ls) / 2)


def exponential(p, a, b):
    ls = jnp.exp(p["log_ls"])
    return jnp.exp(-jnp.sqrt(sqdist(a / ls, b / ls)))


def loss(p, x, y):
    return y @ matern(p, x, x) @ y


def smooth(p, x, y):
    return y @ gaussian(p, x, x) @ y


def between(p, x, inducing):
    return jnp.sum(exponential(p, x, inducing))


grads = jax.grad(loss), jax.grad(smooth), jax.grad(between)
