# breaks: gradient(lambda p: coordinates(p).sum(), [0.0, 0.0])
import jax
import jax.numpy as jnp


def coordinates(p):
    x, y = p
    r = jnp.sqrt(x**2 + y**2)  # expect: NAN203
    return jnp.stack([r, jnp.arctan2(y, x)])  # expect: NAN210 possible


jacobian = jax.jacrev(coordinates)
