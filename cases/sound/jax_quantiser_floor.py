# holds: value(fake_quant, {"raw": jnp.array(-200.0)}, [0.0])
import jax
import jax.numpy as jnp


def fake_quant(params, x):
    s = jnp.maximum(jnp.exp(params["raw"]), 1e-6)
    return s * jnp.round(x / s)
