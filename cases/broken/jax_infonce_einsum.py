# breaks: value(info_nce, [[10.0, 0.0], [0.0, 10.0]], [[10.0, 0.0], [0.0, 10.0]])
import jax.numpy as jnp


def info_nce(anchors, positives, temperature=0.1):
    logits = jnp.einsum("id,jd->ij", anchors, positives) / temperature
    scores = jnp.exp(logits)
    positive = jnp.diagonal(scores)
    return -jnp.mean(jnp.log(positive / scores.sum(axis=1)))  # expect: NAN103 no-fix
