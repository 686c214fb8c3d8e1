# holds: value(mapped, [[1000.0, -1000.0]])
# holds: value(likelihood, [[1000.0, -1000.0]], [1])
import jax
import jax.numpy as jnp


@jax.jit
def log_probabilities(x):
    return jax.nn.log_softmax(x)


def mapped(x):
    return jax.vmap(log_probabilities)(x)


def likelihood(x, y):
    target = jnp.zeros_like(x).at[jnp.arange(len(y)), y.astype(int)].set(1)
    return (log_probabilities(x) * target).sum(1)
