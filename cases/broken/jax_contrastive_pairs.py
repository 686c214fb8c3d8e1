# breaks: value(info_nce, [[1.0, 0.0], [0.0, 1.0]], [[1.0, 0.0], [0.0, 1.0]])
import jax
import jax.numpy as jnp


def info_nce(za, zb, temperature=0.005):
    za = za / jnp.maximum(jnp.linalg.norm(za, axis=1, keepdims=True), 1e-6)
    zb = zb / jnp.maximum(jnp.linalg.norm(zb, axis=1, keepdims=True), 1e-6)
    e = jnp.exp(za @ zb.T / temperature)
    return -jnp.mean(jnp.log(jnp.diag(e) / e.sum(axis=1)))  # expect: NAN103 no-fix
