# holds: spectrum(Grid((4, 4)))
import jax.numpy as jnp


class Grid:
    def __init__(self, shape):
        self.shape = shape

    def frequencies(self):
        axes = [jnp.fft.fftfreq(size) for size in self.shape]
        return tuple(jnp.meshgrid(*axes, indexing="ij"))


def spectrum(grid: Grid):
    across, down = grid.frequencies()
    return jnp.exp(-jnp.sqrt(across**2 + down**2))
