# holds: gradient(info_nce, [[10.0, 0.0], [0.0, 10.0]], [[10.0, 0.0], [0.0, 10.0]])
import jax
import jax.numpy as jnp


def info_nce(anchors, positives, temperature=0.1):
    logits = jnp.einsum("id,jd->ij", anchors, positives) / temperature
    positive = jnp.diagonal(logits)
    return jnp.mean(jax.nn.logsumexp(logits, axis=1) - positive)
