# breaks: gradient(lambda a: angle(a, a), [1.0, 0.0])
import jax
import jax.numpy as jnp


def angle(a, b):
    c = jnp.dot(a, b) / (jnp.linalg.norm(a) * jnp.linalg.norm(b) + 1e-8)
    return jnp.arccos(jnp.clip(c, -1.0, 1.0))  # expect: NAN208 unsafe


grad_angle = jax.grad(angle)
