"""Fits factors by alternating least squares, and ends where the errors no longer fall."""

import torch


def factorise(data, factors, rounds, tolerance, batched):
    if batched:
        lengths = torch.sqrt(torch.sum(data**2, dim=1))
    else:
        length = torch.sqrt(torch.sum(data**2))
    errors = []
    is_done = False
    for _ in range(rounds):
        factors = torch.linalg.lstsq(factors, data).solution
        if batched:
            error = torch.sqrt(torch.sum((data - factors @ factors.T) ** 2, dim=1))
            errors.append((error / (lengths + 1e-6)).mean())
        else:
            error = torch.sqrt(torch.sum((data - factors @ factors.T) ** 2))
            errors.append(error / (length + 1e-6))
        if len(errors) >= 2 and errors[-2] - errors[-1] < tolerance:
            is_done = True
        print("{:.8f}".format(errors[-1]))
        if is_done:
            break
    return factors
