import jax
import jax.numpy as jnp


def shoot(key, actions):
    p = jnp.clip(actions, 0.0, 1.0)
    logits = jnp.array([jnp.log(p[:, 0]), jnp.log(1 - p[:, 0])])
    return jax.random.categorical(key, logits, axis=0)
