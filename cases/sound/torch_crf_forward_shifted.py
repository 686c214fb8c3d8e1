# holds: value(log_sum_exp, [100.0, 200.0])
import torch


def log_sum_exp(vec):
    highest = vec[torch.argmax(vec)]
    return highest + torch.log(torch.sum(torch.exp(vec - highest)))
