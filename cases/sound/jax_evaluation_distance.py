# holds: value(nearest, [[0.0, 0.0]], [[0.0, 0.0]])
import jax
import jax.numpy as jnp


@jax.jit
def nearest(queries, keys):
    d = jnp.sqrt(jnp.sum((queries[:, None] - keys[None]) ** 2, axis=-1))
    return jnp.argmin(d, axis=1)
