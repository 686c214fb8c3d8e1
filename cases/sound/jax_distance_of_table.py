"""Distances between rows of a table: of what a data frame gives there is no gradient."""

import jax.numpy as jnp


def distance(start, ends):
    here = start.nodes[["x", "y", "z"]].to_numpy()[0]
    there = ends.nodes[["x", "y", "z"]].to_numpy()
    return jnp.sqrt(jnp.sum((here - there) ** 2, axis=1))
