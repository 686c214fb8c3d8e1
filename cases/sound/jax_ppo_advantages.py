# holds: value(ppo_loss, [-1.0, -2.0], [-1.0, -2.0], [2.0, 2.0])
import jax
import jax.numpy as jnp


def ppo_loss(logp, old_logp, advantages, clip=0.2):
    adv = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    ratio = jnp.exp(jnp.clip(logp - old_logp, -20.0, 20.0))
    return -jnp.minimum(ratio * adv, jnp.clip(ratio, 1 - clip, 1 + clip) * adv).mean()


policy_gradient = jax.grad(ppo_loss)
