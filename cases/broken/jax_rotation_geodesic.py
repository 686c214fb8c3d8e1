# breaks: gradient(geodesic, [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]])
import jax
import jax.numpy as jnp


def geodesic(R):
    return jnp.arccos((jnp.trace(R) - 1) / 2)  # expect: NAN208 unsafe


loss = jax.grad(lambda R, T: geodesic(R.T @ T))
