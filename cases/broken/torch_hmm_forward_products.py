# breaks: value(log_likelihood, [[0.0, 0.0]], [[0.0, 0.0], [0.0, 0.0]], [0.0, 1.0])
import torch


def log_likelihood(start, transitions, means, rounds=500):
    observed = torch.linspace(0.0, 1.0, rounds)
    matrix = torch.softmax(transitions, dim=-1)
    density = torch.exp(-0.5 * (observed[:, None] - means) ** 2) / 2.5
    alpha = torch.softmax(start, dim=-1)[0]
    for t in range(rounds):
        alpha = (alpha @ matrix) * density[t]
    return torch.log(alpha.sum())  # expect: NAN201 unsafe
