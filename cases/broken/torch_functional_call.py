# breaks: value(lambda x: loss({k: 1e4 * v for k, v in named.items()}, x, x), [[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])
import torch
from torch import nn

torch.manual_seed(0)
model = nn.Linear(2, 2)
named = dict(model.named_parameters())


def loss(params, x, y):
    mean, log_variance = torch.func.functional_call(model, params, (x,)).chunk(2, -1)
    errors = (y[:, :1] - mean) ** 2
    return (errors * torch.exp(-log_variance) + log_variance).mean()  # expect: NAN504 no-fix


def step(params, x, y, rate):
    gradients = torch.func.grad(loss)(params, x, y)
    return {name: value - rate * gradients[name] for name, value in params.items()}
