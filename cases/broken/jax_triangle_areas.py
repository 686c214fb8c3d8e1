# breaks: gradient(lambda v: areas(v).sum(), [[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [2.0, 0.0, 0.0]]])
import jax.numpy as jnp


def areas(corners):
    normal = jnp.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0])
    return jnp.sqrt(jnp.sum(normal**2, -1)) / 2  # expect: NAN203 unsafe
