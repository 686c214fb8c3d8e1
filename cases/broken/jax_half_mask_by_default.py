# breaks: value(step, [[1.0, 2.0]], [[1.0, 0.0]])
import jax
import jax.numpy as jnp


def attention(scores, mask, lowest=-1e9):
    return jax.nn.softmax(scores + (1.0 - mask) * lowest)  # expect: NAN503 no-fix


def step(scores, mask):
    return attention(scores.astype(jnp.float16), mask.astype(jnp.float16))
