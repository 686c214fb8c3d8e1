# breaks: value(loss, [60.0, 0.5])
import jax
import jax.numpy as jnp


class Logistic:
    def __init__(self, location):
        self.location = location

    def cdf(self, value):
        lower = jax.nn.sigmoid(-30.0 + self.location)
        return jnp.clip(jax.nn.sigmoid(value + self.location) - lower, 0.0, 1.0)

    def log_cdf(self, value):
        return jnp.log(self.cdf(value))  # expect: NAN201 unsafe


def loss(location):
    return -Logistic(location).log_cdf(jnp.array([-25.0, 0.0])).mean()
