# breaks: value(standardise, [[1.0, 2.0], [1.0, 3.0]])
import torch


def standardise(x):
    inverse = x.std(0).reciprocal()
    return (x - x.mean(0)) * inverse  # expect: NAN304 no-fix
