# breaks: value(lambda x: distances(jnp.sin(jnp.arange(320.0)).reshape(40, 8) * x), 3.0)
import jax.numpy as jnp


def distances(x):
    lengths = jnp.sum(x**2, axis=-1)
    return jnp.sqrt(lengths[:, None] + lengths[None, :] - 2 * x @ x.T)  # expect: NAN207 no-fix
