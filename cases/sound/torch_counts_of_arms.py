# holds: value(first_means, [1.0])
# holds: value(means_of_tried, [1.0])
# holds: value(running_mean, [1.0])
# holds: value(prior_means, [1.0])
import torch
from torch import nn


class Arms(nn.Module):
    def __init__(self, count, decay=0.99):
        super().__init__()
        self.decay = decay
        self.register_buffer("pulls", torch.zeros(count))
        self.register_buffer("rewards", torch.zeros(count))

    def means(self):
        return self.rewards / self.pulls.clamp(min=1.0)

    def update(self, arm, reward):
        self.pulls *= self.decay
        self.pulls[arm] += 1
        self.rewards[arm] += reward


class Tried(nn.Module):
    def __init__(self, count):
        super().__init__()
        self.register_buffer("pulls", torch.zeros(count))
        self.register_buffer("rewards", torch.zeros(count))

    def means(self):
        return self.rewards / self.pulls

    def update(self, arm, reward):
        self.pulls[arm] += 1
        self.rewards[arm] += reward


class Values:
    def __init__(self, count):
        self.pulls, self.values = torch.zeros(count), torch.zeros(count)

    def update(self, arm, reward):
        self.pulls[arm] += 1
        self.values[arm] += (reward - self.values[arm]) / self.pulls[arm]


class Prior:
    def __init__(self, count):
        self.pulls, self.rewards = torch.ones(count), torch.zeros(count)

    def means(self):
        return self.rewards / self.pulls

    def update(self, arm, reward):
        self.pulls[arm] += 1
        self.rewards[arm] += reward


def first_means(reward):
    arms = Arms(3)
    arms.update(1, reward[0])
    return torch.softmax(arms.means(), dim=0)


def means_of_tried(reward):
    arms = Tried(3)
    for arm in range(3):
        arms.update(arm, reward[0])
    return arms.means()


def running_mean(reward):
    values = Values(3)
    values.update(1, reward[0])
    return values.values


def prior_means(reward):
    prior = Prior(3)
    prior.update(1, reward[0])
    return prior.means()
