# breaks: jax.grad(loss)(jnp.eye(3), jnp.array([[0.3, 0.2, 0.5], [1.8, 0.9, -0.8]]), jnp.array([[0.3, 0.2, 0.5], [1.8, 0.9, -0.8]]))
import jax
import jax.numpy as jnp


def angle(a, b):
    cos = jnp.sum(a * b, -1) / (jnp.linalg.norm(a, axis=-1) * jnp.linalg.norm(b, axis=-1) + 1e-8)
    return jnp.arccos(cos)  # expect: NAN208 unsafe


def loss(p, x, y):
    return angle(x @ p, y).mean()


grad = jax.grad(loss)
