# breaks: gradient(march, [1.0, 1.0], [1.0, 1.0])
import jax
import jax.numpy as jnp


def march(start, goal):
    def moved(turn, position):
        left = jnp.sqrt(jnp.sum((goal - position) ** 2))  # expect: NAN203
        return position + jnp.minimum(0.5, left) * (goal - position)

    return jnp.sum(jax.lax.fori_loop(0, 8, moved, start))
