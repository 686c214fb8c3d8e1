"""Weighs a weak learner by the odds of its error, which is 0 where all its guesses are right."""

# breaks: value(lambda w: alpha(w, torch.tensor([1, 0]), torch.tensor([1, 0])), [0.5, 0.5])
import torch


def alpha(w, guess, y):
    error = w[guess != y].sum()
    return 0.5 * torch.log((1 - error) / error)  # expect: NAN201 no-fix
