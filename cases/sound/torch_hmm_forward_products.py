# holds: value(log_likelihood, [[0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]])
# holds: value(floored, [[0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]])
# holds: value(now_and_then, [[0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]])
# holds: value(mixed, [[0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]])
import torch


def log_likelihood(start, transitions, emissions, rounds=500):
    matrix, table = torch.softmax(transitions, dim=-1), torch.softmax(emissions, dim=-1)
    alpha = torch.softmax(start, dim=-1)[0]
    total = 0.0
    for t in range(rounds):
        alpha = (alpha @ matrix) * table[:, t % 2]
        norm = alpha.sum()
        total = total + torch.log(norm)
        alpha = alpha / norm
    return total


def floored(start, transitions, emissions, rounds=500):
    matrix, table = torch.softmax(transitions, dim=-1), torch.softmax(emissions, dim=-1)
    alpha = torch.softmax(start, dim=-1)[0]
    for t in range(rounds):
        alpha = (alpha @ matrix) * table[:, t % 2] + 1e-9
    return torch.log(alpha.sum())


def now_and_then(start, transitions, emissions, rounds=500):
    matrix, table = torch.softmax(transitions, dim=-1), torch.softmax(emissions, dim=-1)
    alpha = torch.softmax(start, dim=-1)[0]
    total = 0.0
    for t in range(rounds):
        alpha = (alpha @ matrix) * table[:, t % 2]
        if t % 10 == 9:
            total = total + torch.log(alpha.sum())
            alpha = alpha / alpha.sum()
    return total + torch.log(alpha.sum())


def mixed(start, transitions, rounds=500):
    matrix = torch.softmax(transitions, dim=-1)
    state = torch.softmax(start, dim=-1)[0]
    for _ in range(rounds):
        state = state @ matrix
    return torch.log(state.sum())
