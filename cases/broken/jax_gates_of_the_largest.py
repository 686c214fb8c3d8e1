# breaks: value(gates, [[-1.0, -2.0, -3.0]])
import jax
import jax.numpy as jnp


def gates(scores):
    values, indices = jax.lax.top_k(jax.nn.relu(scores), 2)
    return values / jnp.sum(values, axis=-1, keepdims=True), indices  # expect: NAN302 unsafe
