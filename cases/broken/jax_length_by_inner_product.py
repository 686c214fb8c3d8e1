# breaks: gradient(length, [0.0, 0.0])
# breaks: gradient(length_by_dot, [0.0, 0.0])
import jax.numpy as jnp


def length(x):
    return jnp.sqrt(x @ x)  # expect: NAN203 unsafe


def length_by_dot(x):
    return jnp.sqrt(jnp.dot(x, x))  # expect: NAN203 unsafe
