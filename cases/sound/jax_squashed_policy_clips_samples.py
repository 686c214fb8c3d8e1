# holds: value(lambda a: TanhGaussian(jnp.zeros(1), jnp.zeros(1)).log_prob(a), [1.0])
# holds: value(lambda a: Tanh().inverse(a), [0.5])
import jax
import jax.numpy as jnp


class TanhGaussian:
    def __init__(self, mean, log_std):
        self.mean, self.std = mean, jnp.exp(jnp.clip(log_std, -5.0, 2.0))

    def sample(self, key):
        return jnp.tanh(self.mean + self.std * jax.random.normal(key, self.mean.shape))

    def log_prob(self, action):
        u = jnp.arctanh(jnp.clip(action, -1 + 1e-6, 1 - 1e-6))
        z = (u - self.mean) / self.std
        return (-0.5 * z**2 - 2 * (jnp.log(2.0) - u - jax.nn.softplus(-2 * u))).sum(-1)


class Tanh:
    # What a bijector is given may be anything, and its inverse is for what lies between.
    def forward(self, x):
        return jnp.tanh(x)

    def inverse(self, y):
        return jnp.arctanh(y)
