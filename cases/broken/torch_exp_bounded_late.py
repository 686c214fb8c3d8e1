# breaks: gradient(sizes, [[200.0, 0.0]])
# breaks: gradient(rates, [[200.0, 0.0]])
import torch


def sizes(pred):
    return torch.exp(pred[..., 0]).clamp(max=1000.0)  # expect: NAN405


def rates(output):
    rate = torch.exp(output)
    return torch.clamp(rate, min=1e-6, max=1e4).sum()  # expect: NAN405
