# holds: value(lambda x: inner(10), [1.0])
# holds: value(lambda x: shifted(10), [1.0])
# holds: value(lambda x: ends_below(10), [1.0])
# holds: value(lambda x: half(10), [1.0])
# holds: value(lambda x: selected(10), [1.0])
# holds: value(lambda x: quarter_turn(10), [1.0])
# holds: value(lambda x: two_rows(10, 4), [1.0])
# holds: value(lambda x: guarded(10), [1.0])
import math

import torch


def inner(steps):
    t = torch.linspace(0, 1, steps + 2)[1:-1]
    return t / (1 - t)


def shifted(steps):
    t = torch.linspace(0, 1, steps)
    return t / (1.1 - t)


def ends_below(steps):
    t = torch.linspace(0, 0.999, steps)
    return t / (1 - t)


def half(steps):
    t = torch.linspace(0, 1, steps)
    return t / (1 - 0.5 * t)


def selected(steps):
    t = torch.linspace(0, 1, steps)
    return torch.where(t < 1, t / (1 - t), torch.zeros_like(t))


def quarter_turn(steps):
    t = torch.linspace(0, 1, steps)
    return 1 / torch.cos(t * math.pi / 2)


def two_rows(rows, columns):
    x = torch.linspace(0, 1, rows)[:, None]
    y = torch.linspace(0, 2, columns)[None]
    return 1 / (3 - x * y)


def guarded(steps):
    t = torch.linspace(0, 1, steps)
    return t / (1 - t + 1e-5)
