# breaks: value(lambda w: power_iteration(w, jnp.ones(2)), [[0.0, 0.0], [0.0, 0.0]])
import jax
import jax.numpy as jnp


def power_iteration(w, u, steps=1):
    for _ in range(steps):
        v = w.T @ u
        v = v / jnp.linalg.norm(v)  # expect: NAN303 possible
        u = w @ v
        u = u / jnp.linalg.norm(u)  # expect: NAN303 possible
    return u @ w @ v
