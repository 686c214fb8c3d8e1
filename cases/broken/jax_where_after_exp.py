# breaks: value(masked_softmax, [[100.0, 1.0]], [[True, False]])
import jax.numpy as jnp


def masked_softmax(x, mask):
    e = jnp.where(mask, jnp.exp(x), 0.0)
    return e / jnp.sum(e, axis=-1, keepdims=True)  # expect: NAN103 no-fix
