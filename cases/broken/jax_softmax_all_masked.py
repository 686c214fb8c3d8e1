# breaks: value(attend, [[1.0, 2.0]], [[False, False]])
import jax
import jax.numpy as jnp


def attend(scores, mask):
    return jax.nn.softmax(jnp.where(mask, scores, -jnp.inf), axis=-1)  # expect: NAN403 possible
