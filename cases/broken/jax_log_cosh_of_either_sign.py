# breaks: value(log_cosh, [[200.0, -200.0]])
import jax.numpy as jnp


def log_cosh(x):
    return x + jnp.log1p(jnp.exp(-2.0 * x)) - jnp.log(2.0)  # expect: NAN105
