# holds: value(lambda image: standardize(image, image - 1.0), [0.0, 0.5])
import numpy as np


def standardize(image, segmentation):
    mask = segmentation >= 0
    mean = image[mask].mean()
    image[mask] = image[mask] - mean
    return np.square(image)
