# breaks: value(lambda s: attend(s, jnp.array([False, False])), [[1.0, 2.0]])
import jax.numpy as jnp


def masked(scores, mask, fill):
    return jnp.where(mask, scores, fill)


def attend(scores, mask, fill=-jnp.inf):
    scores = masked(scores, mask, fill)
    weights = jnp.exp(scores - scores.max(-1, keepdims=True))  # expect: NAN403 possible
    return weights / weights.sum(-1, keepdims=True)
