# breaks: value(lambda e: segment_softmax(e, jnp.array([0, 0, 1]), 2), [100.0, 1.0, 2.0])
import jax
import jax.numpy as jnp


def segment_softmax(logits, segments, number):
    weights = jnp.exp(logits)
    total = jax.ops.segment_sum(weights, segments, num_segments=number)
    return weights / total[segments]  # expect: NAN103 no-fix
