# breaks: value(log_likelihood, [[100.0, 100.0], [100.0, 100.0]], [[0.0, 0.0], [0.0, 0.0]])
import jax
import jax.numpy as jnp


def log_likelihood(log_obs, log_trans):
    def step(alpha, obs):
        alpha = jnp.log(jnp.sum(jnp.exp(alpha[:, None] + log_trans), axis=0)) + obs  # expect: NAN104
        return alpha, alpha

    last, _ = jax.lax.scan(step, log_obs[0], log_obs[1:])
    return jnp.log(jnp.sum(jnp.exp(last)))  # expect: NAN104
