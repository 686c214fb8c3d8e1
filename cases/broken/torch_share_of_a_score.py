"""The mean of a score decides a scale: its gradient is NaN far away."""

# breaks: gradient(lambda x: scale({"score": x}), [-2000.0, -2000.0])
# breaks: gradient(lambda x: scale({"score": -x}), [2000.0, 2000.0])
import torch


def scale(batch):
    share = torch.mean(batch["score"].view(1, -1), dim=1)
    return 1 / (1 + ((0.8 - share) * 8).exp())  # expect: NAN106
