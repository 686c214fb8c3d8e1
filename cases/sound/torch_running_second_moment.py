# holds: value(deviation_of_rows, [[6.3], [6.3], [6.3]])
# holds: value(lambda x: after_steps(x, 100), [1.7, 2.1, 2.9, 3.1])
# holds: value(distance_from_axis, [[3.0, 4.0]], [[1.0, 0.0]])
import torch


def deviation_of_rows(x):
    return torch.sqrt(((x - x.mean(dim=0)) ** 2).sum(dim=0) / (x.shape[0] - 1))


class Moments:
    def __init__(self, size, decay=0.5):
        self.decay = decay
        self.mean = torch.zeros(size)
        self.square = torch.zeros(size)

    def update(self, x):
        self.mean = self.decay * self.mean + (1 - self.decay) * x
        self.square = self.decay * self.square + (1 - self.decay) * x**2

    @torch.no_grad()
    def deviation(self):
        return torch.sqrt(torch.relu(self.square - self.mean**2))


def after_steps(x, steps):
    moments = Moments(x.shape[0])
    for _ in range(steps):
        moments.update(x)
    return moments.deviation()


def distance_from_axis(x, axis):
    along = (x * axis).sum(dim=-1)
    return torch.sqrt((x * x).sum(dim=-1) - along**2)
