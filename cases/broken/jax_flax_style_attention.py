# breaks: value(Attention().weights, [[100.0, 100.0]])
import jax
import jax.numpy as jnp


class Attention:
    def __init__(self, dim=8):
        self.scale = dim**-0.5

    def weights(self, scores):
        e = jnp.exp(scores)
        return e / e.sum(axis=-1, keepdims=True)  # expect: NAN103

    def __call__(self, q, k, v):
        return self.weights(q @ k.T * self.scale) @ v
