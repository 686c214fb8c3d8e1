# breaks: gradient(loss, [200.0, 0.5])
import jax
import jax.numpy as jnp


class Discrete:
    def variance(self):
        raise NotImplementedError

    def deviation(self):
        return jnp.sqrt(self.variance())  # expect: NAN203 unsafe


class Coin(Discrete):
    def __init__(self, logits):
        self.logits = logits

    def variance(self):
        heads = jax.nn.sigmoid(self.logits)
        return heads * (1.0 - heads)


def loss(logits):
    return Coin(logits).deviation().sum()
