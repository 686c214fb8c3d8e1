# holds: gradient(lambda z: bce(z, jnp.array([0.0])), [200.0])
import jax
import jax.numpy as jnp


def bce(logits, y):
    return jnp.mean(jax.nn.softplus(logits) - logits * y)


def stable(logits, y):
    return jnp.mean(
        jnp.maximum(logits, 0) - logits * y + jnp.log1p(jnp.exp(-jnp.abs(logits)))
    )
