# breaks: descended(jnp.zeros((2, 2)), jnp.ones(2), jnp.ones(2))
import jax.numpy as jnp


def descended(x, y, w, steps=3):
    squares = jnp.zeros_like(w)
    for _ in range(steps):
        grad = x.T @ (x @ w - y)
        squares = 0.9 * squares + 0.1 * grad**2
        w = w - 0.1 * grad / jnp.sqrt(squares)  # expect: NAN309 no-fix
    return w
