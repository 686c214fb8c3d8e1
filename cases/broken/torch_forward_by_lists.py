# breaks: gradient(forward, [[0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0], [0.0, 0.0, 0.0, 0.0]])
import torch

LOG_ZERO = -float("inf")


def forward(log_probs):
    states = log_probs.shape[1]
    alpha = [log_probs[0, 0]] + [torch.tensor(LOG_ZERO)] * (states - 1)
    for row in log_probs[1:]:
        fresh = [alpha[0] + row[0]]
        for place in range(1, states):
            joined = torch.logaddexp(alpha[place], alpha[place - 1])  # expect: NAN406 no-fix
            fresh.append(joined + row[place])
        alpha = fresh
    return alpha[-1]
