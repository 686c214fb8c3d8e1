# breaks: gradient(rate, [100.0])
import jax
import jax.numpy as jnp


@jax.jit
def rate(x):
    return jnp.log(1.0 + jnp.exp(x))  # expect: NAN105
