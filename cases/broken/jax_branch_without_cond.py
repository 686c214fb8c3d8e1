# breaks: value(spring, 0.5)
import jax.numpy as jnp


def spring(q):
    def underdamped(dt):
        f = jnp.sqrt(jnp.maximum(4 * q**2 - 1, 0))  # expect: NAN203 unsafe
        return jnp.sin(f * dt) / f  # expect: NAN309 no-fix

    return underdamped(2.0)
