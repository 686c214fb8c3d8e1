# breaks: value(drawn, 146)
import torch


class Logistic:
    def __init__(self, loc, scale):
        self.loc, self.scale = loc, scale

    def icdf(self, p):
        return self.loc + self.scale * p.logit()  # expect: NAN211 no-fix

    def sample(self, shape):
        u = self.loc.new_empty(shape).uniform_()
        return self.icdf(u)


def drawn(seed):
    torch.manual_seed(seed)
    return Logistic(torch.zeros(()), torch.ones(())).sample((65536,))
