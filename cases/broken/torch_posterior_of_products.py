# breaks: value(posterior, [[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]])
import torch


def posterior(transitions, emissions, rounds=500):
    matrix, table = torch.softmax(transitions, dim=-1), torch.softmax(emissions, dim=-1)
    alpha = torch.full((rounds, 2), 0.5)
    for t in range(1, rounds):
        alpha[t] = (alpha[t - 1] @ matrix) * table[:, t % 2]
    last = alpha[-1]
    return last / last.sum()  # expect: NAN302 unsafe
