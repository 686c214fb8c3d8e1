# holds: value(share, [0.5, 60.0])
import jax
import jax.numpy as jnp


def exponent(x, mean, precision):
    return -precision / 2 * (x - mean) ** 2


def share(x, left=0.0, right=1.0, weight=0.4, precision=1.0):
    first = exponent(x, left, precision)
    second = exponent(x, right, precision)
    return jax.nn.sigmoid(jnp.log(weight / (1 - weight)) + first - second)


def membership(x, left=0.0, right=1.0):
    first = jnp.exp(-((x - left) ** 2))
    second = jnp.exp(-((x - right) ** 2))
    return first / (first + second + 0.01)


def of_draws(key, number, left=0.0, right=1.0):
    x = left + jax.random.normal(key, (number,))
    first = jnp.exp(-0.5 * (x - left) ** 2)
    second = jnp.exp(-0.5 * (x - right) ** 2)
    return first / (first + second)
