# holds: roots(3, np.array([-2.0, 0.5])), transfer(1e-2, 5)
import numpy as np


def roots(count, slopes):
    b = -2.0 * (1.0 - 2.0 * slopes)
    discriminant = np.sqrt(b * b - 4.0 + 0j)
    spectrum = np.fft.rfft(b, count)
    return (-b + discriminant) / 2.0, np.sqrt(spectrum * spectrum - 1.0)


def transfer(step, length):
    omega = np.exp((-2j * np.pi) * (np.arange(length) / length))
    return (2.0 / step) * ((1.0 - omega) / (1.0 + omega)), 2.0 / (1.0 + omega)
