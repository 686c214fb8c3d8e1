# breaks: gradient(forward, [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
import jax
import jax.numpy as jnp


def forward(log_probs):
    alpha = jnp.full(log_probs.shape[1], -jnp.inf).at[0].set(0.0)

    def step(alpha, frame):
        stay, move = alpha, jnp.concatenate([jnp.array([-jnp.inf]), alpha[:-1]])
        return jax.nn.logsumexp(jnp.stack([stay, move]), axis=0) + frame, None  # expect: NAN406 no-fix

    alpha, _ = jax.lax.scan(step, alpha, log_probs)
    return alpha[-1]
