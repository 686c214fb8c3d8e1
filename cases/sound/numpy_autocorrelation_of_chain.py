# holds: value(autocorrelation, [0.0, 0.0, 0.0])
# holds: value(crosscorrelation, [0.0, 1.0], [1.0, 0.0])
import numpy as np


def autocorrelation(chain):
    f = np.fft.fft(chain - np.mean(chain), n=2 * len(chain))
    acf = np.fft.ifft(f * np.conjugate(f))[: len(chain)].real
    if acf[0] == 0:
        return np.ones_like(acf)
    return acf / acf[0]


def crosscorrelation(x, y):
    c = np.correlate(x, y, mode="full")
    return c / c[1] if c[1] != 0 else c
