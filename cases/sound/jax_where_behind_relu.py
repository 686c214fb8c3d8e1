# holds: gradient(log_of_rates, [0.0, -1.0, 2.0])
# holds: gradient(inverse_of_rates, [0.0, -1.0, 2.0])
# holds: gradient(shares, [0.0, -1.0, 0.0])
# holds: gradient(clipped, [0.0, -1.0, 2.0])
import jax
import jax.numpy as jnp


def log_of_rates(x):
    rates = jax.nn.relu(x)
    return jnp.where(rates > 0, jnp.log(rates), 0.0).sum()


def inverse_of_rates(x):
    rates = jnp.where(x > 0, x, 0.0)
    return jnp.where(rates > 0, 1 / rates, 0.0).sum()


def shares(x):
    rates = jax.nn.relu(x)
    return jnp.square(jnp.nan_to_num(rates / rates.sum())).sum()


def clipped(x):
    return jnp.sqrt(jax.nn.relu6(x)).sum() + jnp.sqrt(jax.lax.clamp(0.0, x, 1.0)).sum()
