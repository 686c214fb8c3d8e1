# breaks: gradient(lambda v: RBM(2, 1).free_energy(v * 1e5), [[1.0, 1.0]])
import torch
import torch.nn as nn


class RBM(nn.Module):
    def __init__(self, n_visible=784, n_hidden=128):
        super().__init__()
        self.W = nn.Parameter(torch.ones(n_hidden, n_visible) * 0.01)
        self.v_bias = nn.Parameter(torch.zeros(n_visible))
        self.h_bias = nn.Parameter(torch.zeros(n_hidden))

    def sample_h(self, v):
        p = torch.sigmoid(v @ self.W.t() + self.h_bias)
        return p, torch.bernoulli(p)

    def free_energy(self, v):
        vbias_term = v.mv(self.v_bias)
        wx_b = v @ self.W.t() + self.h_bias
        hidden_term = wx_b.exp().add(1).log().sum(1)  # expect: NAN105
        return (-hidden_term - vbias_term).mean()
