# holds: value(lambda z: divergence(z, torch.distributions.Normal(0.0, 1.0)), [[1.0], [2.0]])
import unittest

import torch
import torch.distributions as D


class TestSamples(unittest.TestCase):
    def setUp(self):
        def divergence_of(model):
            z = model.sample((1000,))
            found = D.Normal(z.mean(0), z.var(0).sqrt())
            divergence = D.kl.kl_divergence(found, model.base).mean()
            print(f"KL {divergence:.4f}")

        self.divergence_of = divergence_of

    def test_model(self):
        self.divergence_of(self.model)


def divergence(z, base):
    return D.kl.kl_divergence(D.Normal(z.mean(0), (z.var(0, unbiased=False) + 1e-6).sqrt()), base).mean()
