# breaks: gradient(normalise, [[1.0, 1.0, 1.0]])
import jax.numpy as jnp


def normalise(x):
    mean = jnp.mean(x, axis=-1, keepdims=True)
    std = jnp.sqrt(jnp.mean((x - mean) ** 2, axis=-1, keepdims=True))
    return (x - mean) / (std + 1e-6)  # expect: NAN405 unsafe
