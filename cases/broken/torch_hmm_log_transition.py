# breaks: gradient(log_likelihood, [[1.0, 0.0], [0.0, 1.0]], [[0.5, 0.5], [0.5, 0.5]])
import torch


def log_likelihood(A, B):
    log_A = torch.log(A)
    alpha = torch.log(B[0])
    for b in B[1:]:
        alpha = torch.logsumexp(alpha[:, None] + log_A, dim=0) + torch.log(b)  # todo-expect: NAN406
    return torch.logsumexp(alpha, dim=0)
