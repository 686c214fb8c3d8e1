"""Estimates a trace by a sketch: no column of a triangular factor is 0."""

import jax.numpy as jnp
import jax.scipy as jsp
from jax.numpy.linalg import norm


def trace(samples, sketch):
    basis, upper = jnp.linalg.qr(sketch)
    gram = samples.T @ sketch
    factor = jnp.linalg.cholesky(0.5 * (gram + gram.T)).T
    square = jsp.linalg.solve_triangular(factor.T, upper.T, lower=True).T
    columns = jsp.linalg.solve_triangular(factor, square.T).T / jnp.diag(jnp.linalg.inv(gram))
    return norm(square, "fro") ** 2 - jnp.mean(norm(columns, axis=0) ** 2)
