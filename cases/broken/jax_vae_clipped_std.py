# breaks: gradient(lambda v: sample(jax.random.PRNGKey(0), jnp.zeros(1), v), [-100.0])
import jax
import jax.numpy as jnp


def sample(key, mean, logvar):
    std = jnp.sqrt(jnp.exp(jnp.clip(logvar, -100, 87)))  # expect: NAN118
    return mean + std * jax.random.normal(key, mean.shape)


def elbo(decode, key, x, mean, logvar):
    recon = decode(sample(key, mean, logvar))
    return -jnp.sum((recon - x) ** 2) + 0.5 * jnp.sum(1 + logvar - mean**2 - jnp.exp(logvar))


grad_elbo = jax.grad(elbo, argnums=3)
