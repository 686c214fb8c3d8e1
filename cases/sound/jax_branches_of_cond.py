# holds: value(spring, 0.2)
# holds: value(spring, 0.5)
import jax
import jax.numpy as jnp


def spring(q):
    def critical(dt):
        return jnp.exp(-dt)

    def underdamped(dt):
        f = jnp.sqrt(jnp.maximum(4 * q**2 - 1, 0))
        return jnp.sin(f * dt) / f

    def overdamped(dt):
        f = jnp.sqrt(jnp.maximum(1 - 4 * q**2, 0))  # todo-quiet: NAN203
        return jnp.sinh(f * dt) / f  # todo-quiet: NAN309

    def other(dt):
        return jax.lax.cond(q > 0.5, underdamped, overdamped, dt)

    return jax.lax.cond(jnp.allclose(q, 0.5), critical, other, 2.0)
