# breaks: value(lambda a: Squashed(torch.zeros(1), torch.ones(1), 2.0).log_prob(a), [2.0])
import torch


class Squashed:
    def __init__(self, mean, std, scale):
        self.mean, self.std, self.scale = mean, std, scale

    def rsample(self):
        u = self.mean + self.std * torch.randn_like(self.mean)
        return self.scale * torch.tanh(u), u

    def log_prob(self, action):
        u = torch.atanh(action / self.scale)  # expect: NAN209 unsafe
        return -0.5 * ((u - self.mean) / self.std) ** 2
