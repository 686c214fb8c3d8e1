# holds: gradient(lambda v: sample(jax.random.PRNGKey(0), jnp.zeros(1), v), [-200.0])
import jax
import jax.numpy as jnp


def sample(key, mean, logvar):
    return mean + jnp.exp(0.5 * logvar) * jax.random.normal(key, mean.shape)


grad_kl = jax.grad(lambda m, v: -0.5 * jnp.sum(1 + v - m**2 - jnp.exp(v)))
