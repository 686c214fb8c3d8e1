# holds: gradient(lambda x: energy(x, x), [[1.0, 2.0]])
import jax
import jax.numpy as jnp


def safe_norm(v):
    sq = jnp.sum(v**2, axis=-1)
    zero = sq == 0.0
    return jnp.where(zero, 0.0, jnp.sqrt(jnp.where(zero, 1.0, sq)))


def energy(a, b, rest=1.0):
    return 0.5 * jnp.sum((safe_norm(a - b) - rest) ** 2)


force = jax.grad(energy)
