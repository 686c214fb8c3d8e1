# breaks: value(deviation_of_rows, [[6.3], [6.3], [6.3]])
# breaks: value(lambda x: after_steps(x, 100), [1.7, 2.1, 2.9, 3.1])
import torch


def deviation_of_rows(x):
    n = x.shape[0]
    total = x.sum(dim=0)
    return torch.sqrt(((x**2).sum(dim=0) - total**2 / n) / (n - 1))  # expect: NAN116 no-fix


class Moments:
    def __init__(self, size, decay=0.5):
        self.decay = decay
        self.mean = torch.zeros(size)
        self.square = torch.zeros(size)

    def update(self, x):
        self.mean = self.decay * self.mean + (1 - self.decay) * x
        self.square = self.decay * self.square + (1 - self.decay) * x**2

    def deviation(self):
        return torch.sqrt(self.square - self.mean**2)  # expect: NAN116 no-fix


def after_steps(x, steps):
    moments = Moments(x.shape[0])
    for _ in range(steps):
        moments.update(x)
    return moments.deviation()
