# holds: value(log_cosh, [[200.0, -200.0]])
# holds: value(log_cosh_by_bit, [[200.0, -200.0]])
import jax.numpy as jnp


def log_cosh(x):
    y = x * jnp.sign(x)
    return y + jnp.log1p(jnp.exp(-2.0 * y)) - jnp.log(2.0)


def log_cosh_by_bit(x):
    sign = -2 * jnp.signbit(x.real) + 1
    y = x * sign
    return y + jnp.log1p(jnp.exp(-2.0 * y)) - jnp.log(2.0)
