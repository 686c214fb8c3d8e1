# breaks: gradient(lambda g: forecast({"slope": g}, 3.0, 4).sum(), [-200.0, 0.0, 1.0])
# The table is handed on as a tensor: where exp overflows, its gradient is 0 * inf.
import torch


def forecast(posterior, cap, steps):
    slope = posterior.get("slope")
    known = torch.zeros(len(slope), 1)
    table = torch.cat((known, torch.zeros(len(slope), steps)), dim=1)
    for step in range(1, steps + 1):
        table[:, step] = cap / (1 + torch.exp(-(slope * step)))  # expect: NAN106
    return table[:, 1:]
