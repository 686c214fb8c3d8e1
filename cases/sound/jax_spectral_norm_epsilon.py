# holds: value(lambda w: power_iteration(w, jnp.ones(2)), [[0.0, 0.0], [0.0, 0.0]])
import jax
import jax.numpy as jnp


def l2_normalize(v, eps=1e-12):
    return v / (jnp.sqrt(jnp.sum(v**2) + eps))


def power_iteration(w, u):
    v = l2_normalize(w.T @ u)
    u = l2_normalize(w @ v)
    return jax.lax.stop_gradient(u) @ w @ jax.lax.stop_gradient(v)
