# breaks: value(first_means, [1.0])
import torch
from torch import nn


class Arms(nn.Module):
    def __init__(self, count, decay=0.99):
        super().__init__()
        self.decay = decay
        self.register_buffer("pulls", torch.zeros(count))
        self.register_buffer("rewards", torch.zeros(count))

    def means(self):
        return self.rewards / self.pulls  # expect: NAN309 no-fix

    def update(self, arm, reward):
        self.pulls *= self.decay
        self.pulls[arm] += 1
        self.rewards[arm] += reward


def first_means(reward):
    arms = Arms(3)
    arms.update(1, reward[0])
    return torch.softmax(arms.means(), dim=0)
