# holds: value(deviation, [0.0, 10.0, 20.0], [0.0, 10.0, 20.0])
import jax
import jax.numpy as jnp


def kernel(a, b):
    return 0.9 * jnp.exp(-0.5 * (a[:, None] - b[None, :]) ** 2)


def deviation(x, new, noise=1e-9):
    factor = jnp.linalg.cholesky(kernel(x, x) + noise * jnp.eye(3))
    solved = jax.scipy.linalg.solve_triangular(factor, kernel(x, new), lower=True)
    return jnp.sqrt(jnp.maximum(0.9 - jnp.sum(solved**2, axis=0), 1e-12))
