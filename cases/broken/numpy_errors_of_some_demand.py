import numpy as np

SMALLEST = 1e-5


def weighted_error(demand, forecast):
    demand, forecast = demand[demand > -SMALLEST], forecast[demand > -SMALLEST]
    shares = np.abs(demand) / np.sum(np.abs(demand))  # expect: NAN302 unsafe
    return np.sum(shares * np.abs(demand - forecast))


def share_of_energy(signal):
    signal = signal[np.square(signal) < 0.01]
    return np.square(signal) / np.square(signal).sum()  # expect: NAN302 unsafe


def masked_error(demand, forecast):
    mask = np.not_equal(demand, 0).astype("float32")
    mask /= np.mean(mask)  # expect: NAN301 no-fix
    return np.nan_to_num(np.mean(np.abs(demand - forecast) * mask))
