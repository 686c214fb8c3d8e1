"""A layer's softmax underflows to 0 whatever the logarithm of its input does."""

# breaks: value(log_likelihood, [[0.0, 300.0]])
import torch
from torch import nn

decode = nn.Linear(2, 2)
with torch.no_grad():
    decode.weight.copy_(torch.eye(2))


def log_likelihood(counts):
    library = torch.log(counts.sum(1, keepdim=True))
    rate = torch.exp(library) * torch.softmax(decode(counts), -1)
    return (counts * torch.log(rate) - rate).sum(1)  # expect: NAN202 unsafe


if __name__ == "__main__":
    optimizer = torch.optim.Adam(decode.parameters())
    for counts in torch.load("counts.pt"):
        optimizer.zero_grad()
        (-log_likelihood(counts)).mean().backward()
        optimizer.step()
