# possible: ignored
# holds: value(lambda x: of_kernel(x, 1), [[100.0, 200.0]])
# holds: value(lambda x: of_sigmoid(x, 1), [[-100.0, 200.0]])
# holds: value(lambda x: of_floor(x, 1), [[-100.0, 200.0]])
import torch


def of_kernel(x, rounds):
    p = torch.exp(-x.abs()) + 1e-3
    for _ in range(rounds):
        p = p[:, 0]
    return torch.log(p)


def of_sigmoid(x, rounds):
    p = torch.sigmoid(x) + 1e-3
    for _ in range(rounds):
        p = p[:, 0]
    return torch.log(p)


def of_floor(x, rounds):
    p = torch.softmax(x, -1).clamp(min=1e-3)
    for _ in range(rounds):
        p = p.squeeze(0)
    return torch.log(p)
