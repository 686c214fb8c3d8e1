# All that is made of the table becomes an array of numbers, which only what has no gradient can.
import torch


def forecast(posterior, cap, steps):
    slope = posterior.get("slope")
    known = torch.zeros(len(slope), 1)
    table = torch.cat((known, torch.zeros(len(slope), steps)), dim=1)
    for step in range(1, steps + 1):
        table[:, step] = cap / (1 + torch.exp(-(slope * step)))
    return table[:, 1:].numpy()
