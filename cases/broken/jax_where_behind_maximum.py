# breaks: gradient(log_of_rates, [0.0, -1.0, 2.0])
# breaks: gradient(weighted, [0.0, -1.0, 2.0], [1.0, 1.0, 1.0])
# breaks: gradient(shares, [0.0, -1.0, 0.0])
import jax
import jax.numpy as jnp


def log_of_rates(x):
    rates = jnp.maximum(x, 0.0)
    return jnp.where(rates > 0, jnp.log(rates), 0.0).sum()  # expect: NAN401


def weighted(x, w):
    rates = jax.nn.relu(x)
    return jnp.where(rates > 0, w * jnp.log(rates), 0.0).sum()  # expect: NAN401


def shares(x):
    rates = jnp.maximum(x, 0.0)
    return jnp.square(jnp.nan_to_num(rates / rates.sum())).sum()  # expect: NAN402 no-fix
