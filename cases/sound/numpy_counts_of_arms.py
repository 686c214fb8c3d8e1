# holds: value(choices, [1.0, 0.0, 0.5])
import numpy as np


class Arms:
    def __init__(self, count, decay=0.99):
        self.count, self.decay, self.step = count, decay, 0
        self.pulls = np.zeros(count)
        self.rewards = np.zeros(count)

    def update(self, arm, reward):
        self.step += 1
        self.pulls *= self.decay
        self.pulls[arm] += 1
        self.rewards[arm] += reward


class EachFirst(Arms):
    def select(self):
        for arm in range(self.count):
            if self.pulls[arm] == 0:
                return arm
        means = self.rewards / self.pulls
        return int(np.argmax(means + np.sqrt(np.log(self.step) / self.pulls)))


class InOrder:
    def __init__(self, count, decay=0.99):
        self.count, self.decay, self.step = count, decay, 0
        self.pulls = np.zeros(count)
        self.rewards = np.zeros(count)

    def select(self):
        if self.step < self.count:
            return self.step
        return int(np.argmax(self.rewards / self.pulls))

    def update(self, arm, reward):
        self.step += 1
        self.pulls *= self.decay
        self.pulls[arm] += 1
        self.rewards[arm] += reward


class Untried:
    def __init__(self, count, decay=0.99):
        self.decay = decay
        self.pulls = np.zeros(count)
        self.rewards = np.zeros(count)

    def select(self):
        for arm, pulled in enumerate(self.pulls):
            if pulled == 0:
                return arm
        means = self.rewards / self.pulls
        return int(np.random.default_rng(0).choice(len(means), p=means / means.sum()))

    def update(self, arm, reward):
        self.pulls *= self.decay
        self.pulls[arm] += 1
        self.rewards[arm] += reward


class Missing:
    def __init__(self, count, decay=0.99):
        self.decay = decay
        self.pulls = np.zeros(count)
        self.rewards = np.zeros(count)

    def select(self):
        if 0 in self.pulls:
            return int(np.argmin(self.pulls))
        return int(np.argmax(self.rewards / self.pulls))

    def update(self, arm, reward):
        self.pulls *= self.decay
        self.pulls[arm] += 1
        self.rewards[arm] += reward


def choices(rewards):
    chosen = []
    for arms in (EachFirst(3), InOrder(3), Untried(3), Missing(3)):
        for _ in range(9):
            arm = arms.select()
            arms.update(arm, rewards[arm])
            chosen.append(float(arm))
    return np.array(chosen)
