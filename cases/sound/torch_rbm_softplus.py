# holds: gradient(lambda v: RBM(2, 1).free_energy(v * 1e5), [[1.0, 1.0]])
import torch
import torch.nn as nn
import torch.nn.functional as F


class RBM(nn.Module):
    def __init__(self, n_visible=784, n_hidden=128, k=1):
        super().__init__()
        self.W = nn.Parameter(torch.randn(n_hidden, n_visible) * 0.01)
        self.v_bias = nn.Parameter(torch.zeros(n_visible))
        self.h_bias = nn.Parameter(torch.zeros(n_hidden))
        self.k = k

    def gibbs(self, v):
        for _ in range(self.k):
            h = torch.bernoulli(torch.sigmoid(F.linear(v, self.W, self.h_bias)))
            v = torch.bernoulli(torch.sigmoid(F.linear(h, self.W.t(), self.v_bias)))
        return v

    def free_energy(self, v):
        wx_b = F.linear(v, self.W, self.h_bias)
        return (-F.softplus(wx_b).sum(1) - v.mv(self.v_bias)).mean()
