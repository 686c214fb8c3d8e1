# holds: value(by_scan, [[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]])
# holds: value(in_logarithms, [[0.0, 0.0], [0.0, 0.0]], [0.0, 1.0])
import jax
import jax.numpy as jnp


def by_scan(transitions, emissions):
    matrix, table = jax.nn.softmax(transitions, axis=-1), jax.nn.softmax(emissions, axis=-1)

    def step(alpha, t):
        alpha = (alpha @ matrix) * table[:, t]
        norm = alpha.sum()
        return alpha / norm, jnp.log(norm)

    return jax.lax.scan(step, jnp.ones(2) / 2, jnp.zeros(500, int))[1].sum()


def in_logarithms(transitions, means):
    matrix = jax.nn.log_softmax(transitions, axis=-1)
    at = -0.5 * (jnp.full(500, 3.0)[:, None] - means) ** 2

    def step(alpha, one):
        return jax.nn.logsumexp(alpha[:, None] + matrix, axis=0) + one, None

    last, _ = jax.lax.scan(step, jnp.zeros(2), at)
    return jax.nn.logsumexp(last)
