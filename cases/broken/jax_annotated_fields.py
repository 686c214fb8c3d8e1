import flax.linen as nn
import jax
import jax.numpy as jnp


class Head(nn.Module):
    @nn.compact
    def __call__(self, x):
        return jax.nn.softmax(nn.Dense(4)(x))


class Model(nn.Module):
    head: Head

    def __call__(self, x):
        return jnp.log(self.head(x))  # expect: NAN101 no-fix
