# breaks: value(lambda x: fit(x, jnp.array([0.0, 1000.0])), [0.0, 1.0])
import jax
import jax.numpy as jnp


def fit(x, centres):
    def update(step, centres):
        distance = (x[:, None] - centres) ** 2
        shares = jax.nn.softmax(-distance, axis=1)
        return (shares * x[:, None]).sum(0) / shares.sum(0)  # expect: NAN302 unsafe

    return jax.lax.fori_loop(0, 3, update, centres)
