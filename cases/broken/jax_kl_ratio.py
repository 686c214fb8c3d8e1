# breaks: value(kl, [[-200.0]], [[0.0]])
import jax.numpy as jnp


def kl(logp, ref_logp):
    log_ratio = ref_logp - logp
    ratio = jnp.exp(log_ratio)
    return jnp.mean((ratio - 1) - log_ratio)  # expect: NAN504 no-fix
