# breaks: value(lambda x: odds(10), [1.0])
# breaks: value(lambda x: with_endpoint(10), [1.0])
import jax.numpy as jnp


def odds(steps):
    t = jnp.linspace(0, 1, steps)
    return t / (1 - t)  # expect: NAN309 no-fix


def with_endpoint(steps):
    t = jnp.linspace(0, 1, steps, endpoint=True)
    return t / (1 - t)  # expect: NAN309 no-fix
