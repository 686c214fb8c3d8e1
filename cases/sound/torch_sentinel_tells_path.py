# holds: value(lambda a, b: crossing(0.25, [a, b], [[0.0], [1.0]]), [0.5], [0.5])
# holds: value(lambda x: share(x, x), [0.0, 0.0])
# holds: value(lambda a, b: nearer(a, b), [1.0], [1.0])
# holds: value(lambda x: of_something(x), [0.0, -1.0])
# holds: value(lambda x: of_part(x), [0.0, -1.0])
import torch

EPS = 1e-5


def crossing(level, values, points):
    a, b = values
    p, q = points
    point = None
    if abs(level - a) < EPS:
        point = p[0]
    elif abs(level - b) < EPS:
        point = q[0]
    elif abs(a - b) < EPS:
        point = p[0]
    if point is None:
        return p[0] + (level - a) / (b - a) * (q[0] - p[0])
    return point


def share(x: torch.Tensor, y: torch.Tensor):
    is_used = False
    total = x.abs().sum()
    if total > 0:
        is_used = True
    if is_used:
        return y / total
    return y


def nearer(a: torch.Tensor, b: torch.Tensor):
    if torch.abs(a - b) < EPS:
        return a
    return 1.0 / (b - a)


def of_something(x: torch.Tensor):
    is_used, total = False, torch.relu(x).sum()
    if total > 0:
        is_used = True
    if not is_used:
        return total
    return torch.log(total)


def of_part(x: torch.Tensor):
    part, total = None, torch.relu(x).sum()
    if total > 0:
        part = total
    if part is None:
        return total
    return torch.log(total)
