"""No pixel is 0 any more, and the mean of an image hardly ever is."""

# holds: value(raised, [0.0, 255.0])
# holds: value(shifted, [0.0, 255.0])
# holds: value(set_to_one, [0.0, 255.0])
# holds: value(gamma_of, [1.0, 255.0])
import numpy as np


def raised(image):
    return -np.log(np.maximum(image, 1) / 255)


def shifted(image):
    return -np.log((image + 1) / 256)


def set_to_one(image):
    image = image.copy()
    image[image == 0] = 1
    return -np.log(image / 255)


def gamma(brightness):
    return np.log(0.5) / np.log(brightness / 255)


def gamma_of(image):
    return gamma(image.mean())
