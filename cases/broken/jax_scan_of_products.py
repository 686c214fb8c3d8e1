# breaks: value(by_scan, [[0.0, 0.0], [0.0, 0.0]], [0.0, 1.0])
# breaks: value(by_rounds, [[0.0, 0.0], [0.0, 0.0]], [0.0, 1.0])
# breaks: value(outlier, [[0.0, 0.0], [0.0, 0.0]], [0.0, 100.0])
import jax
import jax.numpy as jnp


def density(observed, means):
    return jnp.exp(-0.5 * (observed[:, None] - means) ** 2)


def by_scan(transitions, means):
    matrix = jax.nn.softmax(transitions, axis=-1)

    def step(alpha, at):
        return (alpha @ matrix) * at, None

    last, _ = jax.lax.scan(step, jnp.ones(2) / 2, density(jnp.full(500, 3.0), means))
    return jnp.log(last.sum())  # expect: NAN201 unsafe


def by_rounds(transitions, means):
    matrix = jax.nn.softmax(transitions, axis=-1)
    at = density(jnp.full(500, 3.0), means)
    last = jax.lax.fori_loop(0, 500, lambda t, alpha: (alpha @ matrix) * at[t], jnp.ones(2) / 2)
    return jnp.log(last.sum())  # expect: NAN201 unsafe


def outlier(transitions, observed):
    matrix = jax.nn.softmax(transitions, axis=-1)

    def step(alpha, at):
        alpha = (alpha @ matrix) * at
        norm = alpha.sum()
        return alpha / norm, norm  # expect: NAN302 unsafe

    return jax.lax.scan(step, jnp.ones(2) / 2, density(observed, jnp.array([0.0, 1.0])))[0]
