# breaks: value(lambda image: shift(image, image - 1.0), [0.0, 0.5])
import numpy as np


def shift(image, segmentation):
    mask = segmentation >= 0
    mean = image[mask].mean()  # expect: NAN307 no-fix
    return np.square(image - mean)
