# holds: value(posterior, [[0.0, 0.0], [0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]])
import torch


def posterior(transitions, emissions, rounds=500):
    matrix, table = torch.log_softmax(transitions, dim=-1), torch.log_softmax(emissions, dim=-1)
    alpha = torch.zeros(rounds, 2)
    for t in range(1, rounds):
        alpha[t] = torch.logsumexp(alpha[t - 1][:, None] + matrix, dim=0) + table[:, t % 2]
    return torch.softmax(alpha[-1], dim=0)
