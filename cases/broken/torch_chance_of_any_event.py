"""The logarithm of the chance that an event occurs, which is small for small rates."""

import torch


class Occurrence:
    def __init__(self, hours):
        self.hours = hours

    def log_chance(self, rate):
        return torch.log(1.0 - torch.exp(-2.0 * rate))  # expect: NAN122 unsafe
