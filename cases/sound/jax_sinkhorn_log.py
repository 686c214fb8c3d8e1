# holds: value(sinkhorn, [[1.0, 2.0], [3.0, 4.0]])
import jax
import jax.numpy as jnp


def sinkhorn(C, eps=0.001, n_iter=10):
    n, m = C.shape
    f, g = jnp.zeros(n), jnp.zeros(m)
    log_a, log_b = -jnp.log(n), -jnp.log(m)
    for _ in range(n_iter):
        f = eps * (log_a - jax.nn.logsumexp((g[None, :] - C) / eps, axis=1))
        g = eps * (log_b - jax.nn.logsumexp((f[:, None] - C) / eps, axis=0))
    return jnp.sum(jnp.exp((f[:, None] + g[None, :] - C) / eps) * C)
