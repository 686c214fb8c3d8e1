"""Fits the rates of an equation by gradient descent, and has looked for a NaN since the first day."""

import jax
import jax.numpy as jnp

jax.config.update("jax_debug_nans", True)  # expect: NAN702 unsafe


def solve(rates, initial, step):
    def advance(_, state):
        prey, predators = state
        slope = jnp.stack(
            [
                prey * (rates[0] - rates[1] * predators),
                predators * (rates[1] * prey - rates[0]),
            ]
        )
        return state + step * slope

    return jax.lax.fori_loop(0, 100, advance, initial)


def loss(rates, initial, seen):
    return jnp.mean((solve(rates, initial, 0.01) - seen) ** 2)


if __name__ == "__main__":
    rates = jnp.array([0.5, 0.05])
    initial = jnp.array([20.0, 20.0])
    for _ in range(100):
        rates = rates - 1e-4 * jax.grad(loss)(rates, initial, jnp.array([18.0, 22.0]))
    print(rates)
