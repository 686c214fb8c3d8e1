# breaks: gradient(penalty, [[0.0, 0.0]])
import jax
import jax.numpy as jnp


def penalty(grads):
    slopes = jnp.sqrt(jnp.sum(grads**2, axis=1))  # expect: NAN203
    return jnp.mean((slopes - 1.0) ** 2)


def critic_loss(critic, params, real, fake, mixed):
    grads = jax.vmap(jax.grad(lambda x: critic(params, x)))(mixed)
    return critic(params, fake).mean() - critic(params, real).mean() + 10 * penalty(grads)
