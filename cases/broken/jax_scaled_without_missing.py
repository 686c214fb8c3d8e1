# breaks: advantages(jnp.array([1.0, jnp.nan, 1.0]))[0]
import jax.numpy as jnp


def advantages(rewards):
    return (rewards - jnp.nanmean(rewards)) / jnp.nanstd(rewards)  # expect: NAN304 no-fix
