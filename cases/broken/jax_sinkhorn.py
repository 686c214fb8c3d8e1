# breaks: value(sinkhorn, [[1.0, 2.0], [3.0, 4.0]])
import jax
import jax.numpy as jnp


def sinkhorn(C, eps=0.001, n_iter=10):
    n, m = C.shape
    a, b = jnp.ones(n) / n, jnp.ones(m) / m
    K = jnp.exp(-C / eps)
    v = jnp.ones(m)
    for _ in range(n_iter):
        u = a / (K @ v)  # expect: NAN302 unsafe
        v = b / (K.T @ u)  # expect: NAN302 unsafe
    return jnp.sum(u[:, None] * K * v * C)
