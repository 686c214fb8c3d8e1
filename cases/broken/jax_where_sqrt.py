# breaks: gradient(soft_threshold, [0.0, 4.0])
import jax
import jax.numpy as jnp


def soft_threshold(x):
    return jnp.where(x > 0, jnp.sqrt(x), 0.0)  # expect: NAN401


grads = jax.vmap(jax.grad(soft_threshold))
