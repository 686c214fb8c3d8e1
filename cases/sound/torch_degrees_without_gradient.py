# holds: gradient(lambda x: Layer()(x, torch.tensor([[0, 1], [1, 0]])), [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]])
# A degree is a count, which has no gradient.
import torch
from torch import nn


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)

    def forward(self, x, edges):
        degree = torch.bincount(edges[1], minlength=x.shape[0]).float()
        inverse = (1.0 / degree.sqrt()).masked_fill(degree == 0, 0.0)
        scaled = self.linear(x) * inverse.unsqueeze(-1)
        gathered = torch.zeros_like(scaled).index_add(0, edges[1], scaled[edges[0]])
        return gathered.sum()
