import jax
import jax.numpy as jnp
import optax

optimizer = optax.adam(1e-3)


def masked_mean(losses, mask):
    mask = mask.astype(jnp.float32)
    return jnp.sum(losses * mask) / jnp.sum(mask)  # expect: NAN301 unsafe


@jax.jit
def train_step(params, opt_state, apply, batch):
    def loss_fn(p):
        logits = apply(p, batch["x"])
        losses = optax.softmax_cross_entropy_with_integer_labels(logits, batch["y"])
        return masked_mean(losses, batch["y"] != -1)

    grads = jax.grad(loss_fn)(params)
    updates, opt_state = optimizer.update(grads, opt_state)
    return optax.apply_updates(params, updates), opt_state
