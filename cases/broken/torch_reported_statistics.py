# breaks: value(deviation, [6.3, 6.3, 6.3])
# breaks: value(deviation_by_helpers, [6.3, 6.3, 6.3])
# breaks: value(deviation_in_loop, [6.3, 6.3, 6.3])
# breaks: value(deviation_of_rows, [[6.3, 6.3, 6.3]])
import torch


class Summary:
    def __init__(self):
        self.total = 0.0
        self.squares = 0.0
        self.count = 0

    def add(self, value, weight=1):
        self.total += weight * value
        self.squares += weight * value * value
        self.count += weight

    def deviation(self):
        mean = self.total / self.count
        return torch.sqrt(self.squares / self.count - mean * mean)  # expect: NAN116 no-fix


def divide(x, y):
    if isinstance(x, torch.Tensor):
        return x / torch.as_tensor(y, dtype=x.dtype)
    return x / y


def subtract(x, y):
    if isinstance(x, torch.Tensor):
        return x - torch.as_tensor(y, dtype=x.dtype)
    return x - y


class Statistics:
    def __init__(self):
        self.total = 0.0
        self.squares = 0.0
        self.count = 0

    def add(self, value):
        self.total = self.total + value
        self.squares = self.squares + value**2
        self.count += 1

    def deviation(self):
        mean = divide(self.total, self.count)
        variance = subtract(divide(self.squares, self.count), mean**2)
        return torch.sqrt(variance)  # expect: NAN116 no-fix


def deviation(x):
    summary = Summary()
    for value in x:
        summary.add(value)
    return summary.deviation()


def deviation_by_helpers(x):
    summary = Statistics()
    for value in x:
        summary.add(value)
    return summary.deviation()


def deviation_in_loop(x):
    total, squares = 0.0, 0.0
    for value in x:
        total += value
        squares += value**2
    mean = total / len(x)
    return torch.sqrt(squares / len(x) - mean**2)  # expect: NAN116 no-fix


def deviation_of_rows(x):
    n = x.shape[1]
    mean = x.sum(dim=1) / n
    return torch.sqrt((x * x).sum(dim=1) / n - mean * mean)  # expect: NAN116 no-fix
