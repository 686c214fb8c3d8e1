"""A setter stores a setting: an exponential of it is no exponential of data."""

# holds: value(lambda x: decayed(x), [1.0, 2.0])
import numpy as np


class Schedule:
    def set_rate(self, rate):
        self.rate = rate

    def weight(self, x):
        return x * np.exp(self.rate) / (1 + np.exp(self.rate))


def decayed(x):
    schedule = Schedule()
    schedule.set_rate(0.1)
    return schedule.weight(x)
