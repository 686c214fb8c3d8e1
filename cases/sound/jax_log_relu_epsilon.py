# holds: gradient(loss, [[-1.0, 2.0]])
import jax
import jax.numpy as jnp


def loss(x):
    return jnp.mean(jnp.log(jax.nn.relu(x) + 1e-6))
