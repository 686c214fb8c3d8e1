import numpy as np

SMALLEST = 1e-5


def weighted_error(demand, forecast):
    kept = np.abs(demand) > SMALLEST
    demand, forecast = demand[kept], forecast[kept]
    shares = np.abs(demand) / np.sum(np.abs(demand))
    return np.sum(shares * np.abs(demand - forecast))


def share_of_energy(signal):
    signal = signal[np.square(signal) > 0.01]
    return np.square(signal) / np.square(signal).sum()


def masked_error(demand, forecast):
    mask = np.not_equal(demand, 0).astype("float32")
    mask /= np.mean(mask)
    return np.mean(np.nan_to_num(np.abs(demand - forecast) * mask))
