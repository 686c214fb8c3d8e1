# breaks: value(lambda x: segment_mean(x, jnp.array([0, 0]), 3), [[1.0], [2.0]])
import jax
import jax.numpy as jnp


def segment_mean(x, segments, num_segments):
    total = jax.ops.segment_sum(x, segments, num_segments)
    count = jnp.zeros(num_segments).at[segments].add(1.0)
    return total / count[:, None]  # expect: NAN306 unsafe
