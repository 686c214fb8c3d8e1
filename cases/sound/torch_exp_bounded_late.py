# holds: gradient(sizes, [[200.0, 0.0]])
# holds: gradient(ratio, [[0.5, 0.0]], [[0.0, 0.0]])
# holds: value(at_test_time, [[200.0, 0.0]])
# holds: gradient(temperature, [2.0])
import torch


def sizes(pred):
    return torch.exp(pred[..., 0].clamp(max=6.9))


def ratio(logp, old):
    return torch.clamp(torch.exp(logp - old), 0.8, 1.2)


@torch.no_grad()
def at_test_time(pred):
    return torch.exp(pred).clamp(max=1000.0)


def temperature(scale):
    return scale.exp().clamp(max=100)
