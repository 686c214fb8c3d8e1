# breaks: value(lambda z: divergence(z, torch.tensor([[0.0, 1.0]])), [[1000.0, 0.0]])
import torch


def _trust_region(distribution, reference):
    return -(reference * (distribution.log() - reference.log())).sum(1).mean(0)  # expect: NAN202 safe


def divergence(logits, reference):
    policy = torch.softmax(logits, dim=1)
    return _trust_region(policy + 1e-10, reference)


def floored(logits, reference):
    policy = torch.softmax(logits, dim=1)
    return _trust_region(policy + 1e-10, reference + 1e-10)


def step(model, average, states, optimizer):
    optimizer.zero_grad()
    loss = divergence(model(states), torch.softmax(average(states), dim=1))
    loss.backward()
    optimizer.step()
