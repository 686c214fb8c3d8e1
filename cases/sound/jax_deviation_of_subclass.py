# holds: gradient(loss, [200.0, 0.5])
import jax
import jax.numpy as jnp


class Continuous:
    def variance(self):
        raise NotImplementedError

    def deviation(self):
        return jnp.sqrt(self.variance())


class Coin(Continuous):
    def __init__(self, logits):
        self.logits = logits

    def variance(self):
        heads = jax.nn.sigmoid(self.logits)
        return heads * (1.0 - heads) + 1e-3


def loss(logits):
    return Coin(logits).deviation().sum()
