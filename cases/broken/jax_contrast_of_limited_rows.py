# breaks: value(contrast, [[100.0, 1.0]], [[100.0, 1.0]])
# breaks: value(by_einsum, [[100.0, 100.0]], [[100.0, 100.0]])
import jax.numpy as jnp


def contrast(x, y, temperature=0.02):
    x = x / jnp.minimum(jnp.sqrt(jnp.sum(x**2, axis=-1, keepdims=True) + 1e-8), 1.0)
    y = y / jnp.sqrt(jnp.sum(y**2, axis=-1, keepdims=True) + 1e-8)
    scores = jnp.exp(x @ y.T / temperature)
    return scores / scores.sum(-1, keepdims=True)  # expect: NAN103


def by_einsum(x, y, temperature=0.02):
    x = x / jnp.linalg.norm(x, axis=0, keepdims=True)
    y = y / jnp.linalg.norm(y, axis=0, keepdims=True)
    scores = jnp.exp(jnp.einsum("id,jd->ij", x, y) / temperature)
    return scores / scores.sum(-1, keepdims=True)  # expect: NAN103
