# holds: value(loss, [60.0, 0.5])
import jax
import jax.numpy as jnp


class Logistic:
    def __init__(self, location):
        self.location = location

    def log_cdf(self, value):
        upper = jax.nn.log_sigmoid(value + self.location)
        lower = jax.nn.log_sigmoid(-30.0 + self.location)
        share = jnp.minimum(jnp.exp(lower - upper), 1 - 1e-6)
        return upper + jnp.log1p(-share)


def loss(location):
    return -Logistic(location).log_cdf(jnp.array([-25.0, 0.0])).mean()
