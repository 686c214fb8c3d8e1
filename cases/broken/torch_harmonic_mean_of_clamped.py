# breaks: gradient(harmonic_mean, [0.0, 1.0, 2.0])
import torch


def harmonic_mean(rates):
    rates = rates.clamp(min=0)
    return len(rates) / (1 / rates).sum()  # expect: NAN309 no-fix
