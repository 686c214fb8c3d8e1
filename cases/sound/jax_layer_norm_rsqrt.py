# holds: gradient(layer_norm, [[1.0, 1.0]])
import jax
import jax.numpy as jnp


def layer_norm(x, eps=1e-5):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    var = jnp.var(x, axis=-1, keepdims=True)
    return (x - mean) * jax.lax.rsqrt(var + eps)


grads = jax.grad(lambda x: layer_norm(x).sum())
