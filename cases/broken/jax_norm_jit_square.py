# breaks: gradient(energy, [[0.0, 0.0]], [[0.0, 0.0]])
import jax
import jax.numpy as jnp


@jax.jit
def energy(x, y):
    distances = jnp.linalg.norm(x - y, axis=1)
    return 0.5 * jnp.mean(jnp.square(distances))  # expect: NAN204


grad_energy = jax.jit(jax.grad(energy))
