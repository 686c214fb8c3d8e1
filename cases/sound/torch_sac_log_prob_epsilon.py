# holds: gradient(lambda u: squash(torch.zeros(1), u), [20.0])
import torch


def squash(log_prob, u):
    action = torch.tanh(u)
    return log_prob - torch.log(1 - action.pow(2) + 1e-6)
