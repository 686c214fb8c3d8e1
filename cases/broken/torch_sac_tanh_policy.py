# breaks: value(lambda u: squash_correction(torch.zeros(1), u), [20.0])
import torch
from torch.distributions import Normal


def squash_correction(log_prob, u):
    action = torch.tanh(u)
    log_prob = log_prob - torch.log(1 - action.pow(2))  # expect: NAN113
    return log_prob


def sample(mean, log_std):
    normal = Normal(mean, log_std.clamp(-20, 2).exp())
    u = normal.rsample()
    return torch.tanh(u), squash_correction(normal.log_prob(u), u).sum(-1)
