# breaks: value(Sinkhorn(), [[100.0, 200.0], [300.0, 400.0]])
import torch
import torch.nn as nn


class Sinkhorn(nn.Module):
    def __init__(self, eps=0.1, iterations=5):
        super().__init__()
        self.eps = eps
        self.iterations = iterations

    def forward(self, cost):
        n = cost.shape[0]
        kernel = torch.exp(-cost / self.eps)
        u = torch.ones(n) / n
        for _ in range(self.iterations):
            v = 1.0 / n / torch.mv(kernel.t(), u)  # expect: NAN302 unsafe
            u = 1.0 / n / torch.mv(kernel, v)  # expect: NAN302 unsafe
        return torch.diag(u) @ kernel @ torch.diag(v)
