# holds: value(open_probability, [-40.0, -65.0])
import jax.numpy as jnp


def capped_exp(x, largest=20.0):
    return jnp.exp(jnp.minimum(x, largest))


def ramp(x, width):
    is_near = jnp.abs(x / width) < 1e-3
    apart = jnp.where(is_near, width, x)
    return jnp.where(is_near, width - x / 2.0, apart / (capped_exp(apart / width) - 1.0))


def open_probability(voltage):
    opening = 0.1 * ramp(-(voltage + 40.0), 10.0)
    closing = 4.0 * capped_exp(-(voltage + 65.0) / 18.0)
    return opening / (opening + closing)
