# holds: value(schedule, [1.0, 2.0, 3.0, 4.0])
import jax.numpy as jnp


def schedule(losses):
    steps = jnp.arange(4)
    return jnp.sum(losses[1:] * jnp.log(steps[1:]))
