# breaks: value(autocorrelation, [0.0, 0.0, 0.0])
# breaks: value(by_sums, [0.0, 0.0, 0.0])
import numpy as np


def autocorrelation(chain):
    f = np.fft.fft(chain - np.mean(chain), n=2 * len(chain))
    acf = np.fft.ifft(f * np.conjugate(f))[: len(chain)].real
    acf /= acf[0]  # expect: NAN309 no-fix
    return acf


def by_sums(chain):
    centred = chain - np.mean(chain)
    acf = np.correlate(centred, centred, mode="full")[len(chain) - 1 :]
    return acf / acf[0]  # expect: NAN309 no-fix
