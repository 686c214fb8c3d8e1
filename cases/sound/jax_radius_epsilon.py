# holds: gradient(lambda p: radius(p), [0.0, 0.0])
import jax
import jax.numpy as jnp


def radius(p):
    x, y = p
    return jnp.sqrt(x**2 + y**2 + 1e-12)


gradient_of_radius = jax.grad(radius)
