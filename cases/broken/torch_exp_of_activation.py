"""An activation without an upper bound, or the smaller of two layers' outputs, bounds no exponential."""

# breaks: value(lambda x: attention(100 * x), [[1.0, 1.0]])
# breaks: value(lambda x: agreement(100 * x), [[1.0, 1.0]])
# breaks: value(lambda i: (weights.weight.data.fill_(100.0), weight(i.long()))[1], [0.0, 1.0])
import torch
import torch.nn.functional as F
from torch import nn

first, second, weights = nn.Linear(2, 1), nn.Linear(2, 1), nn.Embedding(2, 1)
with torch.no_grad():
    for layer in (first, second):
        layer.weight.fill_(1.0)


def attention(x):
    return F.leaky_relu(first(x)).exp()  # expect: NAN504 no-fix


def agreement(x):
    return torch.exp(torch.minimum(first(x), F.gelu(second(x))))  # expect: NAN504 no-fix


def weight(index):
    return torch.exp(weights(index))  # expect: NAN504 no-fix


if __name__ == "__main__":
    optimizer = torch.optim.Adam([*first.parameters(), *second.parameters(), *weights.parameters()])
    for x, index in torch.load("data.pt"):
        optimizer.zero_grad()
        (attention(x) + agreement(x) + weight(index)).mean().backward()
        optimizer.step()
