# breaks: value(trained, [1.0, 0.0, 0.0])
# The logits start at 0, and training moves them apart.
import torch

logits = torch.zeros(3, requires_grad=True)
optimizer = torch.optim.SGD([logits], lr=500.0)


def loss_of(target):
    log_probs = torch.log(torch.softmax(logits, dim=-1))  # expect: NAN101
    return -(target * log_probs).sum()


def trained(target, steps=3):
    for _ in range(steps):
        optimizer.zero_grad()
        loss_of(target).backward()
        optimizer.step()
    return logits
