"""Estimates a trace by what a sketch leaves: nothing, if its basis has all of it."""

import jax.numpy as jnp
from jax.numpy.linalg import norm


def rest(samples, sketch):
    basis, _ = jnp.linalg.qr(sketch)
    left = samples - basis @ (basis.T @ samples)
    return norm(left) ** 2  # expect: NAN204


def step(matrix, gradient):
    move = jnp.linalg.solve(matrix, gradient)
    return norm(move) ** 2  # expect: NAN204
