# breaks: value(lambda a: TanhGaussian(jnp.zeros(1), jnp.zeros(1)).log_prob(a), [1.0])
import jax
import jax.numpy as jnp


class TanhGaussian:
    def __init__(self, mean, log_std):
        self.mean, self.std = mean, jnp.exp(jnp.clip(log_std, -5.0, 2.0))

    def sample(self, key):
        return jnp.tanh(self.mean + self.std * jax.random.normal(key, self.mean.shape))

    def log_prob(self, action):
        u = jnp.arctanh(action)  # expect: NAN209 unsafe
        z = (u - self.mean) / self.std
        return (-0.5 * z**2 - 2 * (jnp.log(2.0) - u - jax.nn.softplus(-2 * u))).sum(-1)
