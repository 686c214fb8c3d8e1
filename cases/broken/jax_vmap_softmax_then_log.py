# breaks: value(cross_entropy, [[200.0, 0.0]], [[0.0, 1.0]])
import jax
import jax.numpy as jnp


def cross_entropy(logits, labels):
    probs = jax.vmap(jax.nn.softmax)(logits)
    return -jnp.mean(jnp.sum(labels * jnp.log(probs), axis=-1))  # expect: NAN101 unsafe
