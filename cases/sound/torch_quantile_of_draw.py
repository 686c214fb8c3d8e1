# holds: value(drawn, 146)
import torch


class Logistic:
    def __init__(self, loc, scale):
        self.loc, self.scale = loc, scale

    def icdf(self, p):
        return self.loc + self.scale * p.logit()

    def sample(self, shape):
        u = self.loc.new_empty(shape).uniform_().clamp(min=1e-7, max=1 - 1e-7)
        return self.icdf(u)


def drawn(seed):
    torch.manual_seed(seed)
    return Logistic(torch.zeros(()), torch.ones(())).sample((65536,))
