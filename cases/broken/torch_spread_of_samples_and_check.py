# breaks: gradient(lambda z: divergence(z, D.Normal(0.0, 1.0)), [[1.0], [1.0]])
import unittest

import torch
import torch.distributions as D


def divergence(z, base):
    found = D.Normal(z.mean(0), z.var(0).sqrt(), validate_args=False)  # expect: NAN203
    return D.kl.kl_divergence(found, base).mean()


class TestSamples(unittest.TestCase):
    def test_divergence(self):
        print(divergence(torch.randn(1000, 3), D.Normal(0.0, 1.0)))
