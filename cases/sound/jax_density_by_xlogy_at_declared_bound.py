# holds: gradient(lambda p: Bernoulli(p).log_prob(jnp.array([0.0, 1.0])), [0.0, 1.0])
import jax.numpy as jnp
from jax.scipy.special import xlog1py, xlogy


class constraints:
    unit_interval = boolean = None


class Bernoulli:
    arg_constraints = {"probabilities": constraints.unit_interval}
    support = constraints.boolean

    def __init__(self, probabilities):
        self.probabilities = probabilities

    def log_prob(self, value):
        probabilities = jnp.clip(self.probabilities, 1e-6, 1 - 1e-6)
        return xlogy(value, probabilities) + xlog1py(1 - value, -probabilities)
