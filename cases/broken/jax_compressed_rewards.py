# breaks: gradient(loss, [0.0, 5.0], [0.0, 4.0])
# breaks: gradient(scaled, [0.0, 5.0], 2.0)
import jax.numpy as jnp


def symlog(x, linear=1.0):
    large = jnp.sign(x) * (1.0 + jnp.log(jnp.abs(x) / linear))
    return jnp.where(jnp.abs(x) < linear, x / linear, large)  # expect: NAN401


def loss(predicted, rewards):
    return jnp.mean((symlog(predicted) - rewards) ** 2)


def scaled(x, knee):
    size = jnp.square(x)
    return jnp.sum(jnp.where(size <= knee, size, jnp.sqrt(knee * size)))  # expect: NAN203 unsafe
