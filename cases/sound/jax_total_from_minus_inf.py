# holds: gradient(total, [0.5, 0.2, -3.0])
import jax
import jax.numpy as jnp


def total(scores):
    def step(known, score):
        return jnp.logaddexp(known, score), None

    known, _ = jax.lax.scan(step, -jnp.inf, scores)
    return known
