"""The optical density of a black pixel is infinite."""

# breaks: value(optical_density, [0.0, 255.0])
import numpy as np


def optical_density(image):
    return -np.log(image.astype(np.float64) / 255)  # expect: NAN201 unsafe
