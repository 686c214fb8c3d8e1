# holds: gradient(loss, [0.0, 5.0], [0.0, 4.0])
# holds: gradient(scaled, [0.0, 5.0], 2.0)
# holds: gradient(quantiles, [0.1, 0.9])
import jax.numpy as jnp


def symlog(x):
    return jnp.sign(x) * jnp.log1p(jnp.abs(x))


def loss(predicted, rewards):
    return jnp.mean((symlog(predicted) - rewards) ** 2)


def scaled(x, knee):
    size = jnp.square(x)
    above = jnp.where(size <= knee, knee, size)
    return jnp.sum(jnp.where(size <= knee, size, jnp.sqrt(knee * above)))


class AsymmetricLaplace:
    def __init__(self, asymmetry):
        self.asymmetry = asymmetry

    def icdf(self, value):
        k = self.asymmetry
        below = k**2 / (1 + k**2)
        return jnp.where(value <= below, jnp.log(value / below), -jnp.log((1 + k**2) * (1 - value)))


def quantiles(x):
    return jnp.sum(AsymmetricLaplace(2.0).icdf(x))
