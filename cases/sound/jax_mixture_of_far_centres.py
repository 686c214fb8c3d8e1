# holds: value(lambda x: fit(x, jnp.array([0.0, 1000.0])), [0.0, 1.0])
# holds: value(lambda x: nearest(x, jnp.array([0.0, 1000.0])), [0.0, 1.0])
import jax
import jax.numpy as jnp


def fit(x, centres):
    def update(step, centres):
        distance = (x[:, None] - centres) ** 2
        shares = jax.nn.softmax(-distance, axis=1)
        return (shares * x[:, None]).sum(0) / (shares.sum(0) + 1e-8)

    return jax.lax.fori_loop(0, 3, update, centres)


def nearest(x, centres):
    distance = (x[:, None] - centres) ** 2
    shares = jax.nn.softmax(-distance, axis=1)
    return (shares * centres).sum(1) / shares.sum(1)
