# breaks: value(attend, [[1.0, 0.0], [0.0, -1.0]], [[1.0, 0.0], [0.0, 1.0]], [[1.0], [2.0]])
import jax
import jax.numpy as jnp


def attend(q, k, v):
    q, k = jax.nn.relu(q), jax.nn.relu(k)
    total = q @ k.sum(axis=0)
    return (q @ (k.T @ v)) / total[:, None]  # expect: NAN309 no-fix
