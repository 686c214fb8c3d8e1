# breaks: gradient(lambda x: energy(x, x), [[1.0, 2.0]])
import jax
import jax.numpy as jnp


def energy(a, b, rest=1.0):
    length = jnp.linalg.norm(a - b, axis=-1)  # expect: NAN204
    return 0.5 * jnp.sum((length - rest) ** 2)


force = jax.grad(energy)
