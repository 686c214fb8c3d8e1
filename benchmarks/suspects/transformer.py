"""A training step of a small transformer, with operations that are suspects in such code.

    python benchmarks/suspects/transformer.py [--anomaly] [--steps N]

Prints the seconds of a step.
"""

import argparse
import math
import time

import torch
from torch import nn
from torch.nn import functional as F


class RMSNorm(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(width))

    def forward(self, x):
        return self.weight * x / torch.sqrt((x * x).mean(-1, keepdim=True))


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.inner = nn.Linear(width, 3 * width)
        self.outer = nn.Linear(width, width)

    def forward(self, x, mask):
        q, k, v = self.inner(x).chunk(3, -1)
        q, k, v = (t.unflatten(-1, (self.heads, -1)).transpose(1, 2) for t in (q, k, v))
        q = q / q.norm(dim=-1, keepdim=True)
        k = k / k.norm(dim=-1, keepdim=True)
        scores = (q @ k.transpose(-1, -2)) * math.sqrt(q.shape[-1])
        weights = torch.exp(scores) * mask
        weights = weights / weights.sum(-1, keepdim=True)
        return self.outer((weights @ v).transpose(1, 2).flatten(2))


class Block(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.first, self.second = RMSNorm(width), RMSNorm(width)
        self.attention = Attention(width, heads)
        inner = 4 * width
        self.mlp = nn.Sequential(nn.Linear(width, inner), nn.GELU(), nn.Linear(inner, width))

    def forward(self, x, mask):
        x = x + self.attention(self.first(x), mask)
        return x + self.mlp(self.second(x))


class Model(nn.Module):
    def __init__(self, words=1000, width=128, heads=4, depth=4):
        super().__init__()
        self.table = nn.Embedding(words, width)
        self.blocks = nn.ModuleList(Block(width, heads) for _ in range(depth))
        self.head = nn.Linear(width, words)

    def forward(self, ids):
        mask = torch.tril(torch.ones(ids.shape[1], ids.shape[1]))
        x = self.table(ids)
        for block in self.blocks:
            x = block(x, mask)
        return torch.softmax(self.head(x), -1)


def masked_loss(p, labels, mask):
    losses = -torch.log(p.gather(-1, labels.unsqueeze(-1)).squeeze(-1))
    return (losses * mask).sum() / mask.sum()


def entropy(p):
    return -(p * torch.log(p)).sum(-1).mean()


def clipped(parameters, most=1.0):
    length = torch.sqrt(sum((p.grad**2).sum() for p in parameters))
    for p in parameters:
        p.grad.mul_(torch.clamp(most / length, max=1.0))


def prepared():
    """Return a model, its optimizer and a batch."""
    torch.manual_seed(0)
    torch.set_num_threads(1)
    model = Model()
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-4)
    ids = torch.randint(1, 1000, (8, 65))
    return model, optimizer, ids, (ids[:, 1:] > 0).float()


def step(model, optimizer, ids, mask):
    """Make one step of training."""
    p = model(ids[:, :-1])
    loss = masked_loss(p, ids[:, 1:], mask) - 0.001 * entropy(p)
    optimizer.zero_grad()
    loss.backward()
    clipped(list(model.parameters()))
    optimizer.step()
    return loss


def main():
    options = argparse.ArgumentParser()
    options.add_argument("--anomaly", action="store_true")
    options.add_argument("--steps", type=int, default=20)
    given = options.parse_args()
    torch.autograd.set_detect_anomaly(given.anomaly)
    state = prepared()
    taken = []
    for _ in range(given.steps):
        begin = time.perf_counter()
        loss = step(*state)
        taken.append(time.perf_counter() - begin)
    print("loss", F.relu(loss).item())
    print("seconds", min(taken))


if __name__ == "__main__":
    main()
