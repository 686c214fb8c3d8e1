# breaks: gradient(lambda x: error(x, torch.tensor([1.0, 2.0])), [1.0, 2.0])
import torch


def error(x: torch.Tensor, y: torch.Tensor):
    return torch.sqrt(((x - y) ** 2).mean())  # expect: NAN203 safe


def train(model, optimizer, x, y):
    loss = error(model(x), y)
    loss.backward()
    optimizer.step()
