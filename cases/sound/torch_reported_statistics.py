# holds: value(deviation, [6.3, 6.3, 6.3])
# holds: value(welford, [6.3, 6.3, 6.3])
# holds: value(deviation_of_dataset, [[1.0, 2.0], [3.0, 5.0]])
# holds: value(root_of_difference, [3.0, 2.0])
import torch


class Summary:
    def __init__(self):
        self.total = 0.0
        self.squares = 0.0
        self.count = 0

    def add(self, value):
        self.total += value
        self.squares += value * value
        self.count += 1

    @torch.no_grad()
    def deviation(self):
        mean = self.total / self.count
        return torch.sqrt((self.squares / self.count - mean * mean).clamp(min=0.0))


class Welford:
    def __init__(self):
        self.mean = 0.0
        self.deviations = 0.0
        self.count = 0

    def add(self, value):
        self.count += 1
        step = value - self.mean
        self.mean = self.mean + step / self.count
        self.deviations = self.deviations + step * (value - self.mean)

    def deviation(self):
        return torch.sqrt(self.deviations / self.count)


def deviation(x):
    summary = Summary()
    for value in x:
        summary.add(value)
    return summary.deviation()


def welford(x):
    summary = Welford()
    for value in x:
        summary.add(value)
    return summary.deviation()


def deviation_of_dataset(images):
    total, squares, count = 0.0, 0.0, 0
    for image in images:
        total += image.mean()
        squares += (image**2).mean()
        count += 1
    return torch.sqrt(squares / count - (total / count) ** 2)


class Radius:
    def __init__(self, outer, inner):
        self.outer = outer
        self.inner = inner

    def root(self, n):
        return torch.sqrt(self.outer / n - (self.inner / n) ** 2)


def root_of_difference(x):
    return Radius(x[0], x[1]).root(2)
