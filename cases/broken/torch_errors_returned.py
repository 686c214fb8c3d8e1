"""The same errors are added up to a loss: at an exact fit their gradients are NaN."""

import torch


def unrolled(data, factors, rounds, batched):
    errors = []
    for _ in range(rounds):
        factors = torch.linalg.lstsq(factors, data).solution
        if batched:
            error = torch.sqrt(torch.sum((data - factors @ factors.T) ** 2, dim=1))  # expect: NAN203
            errors.append(error.mean())
        else:
            error = torch.sqrt(torch.sum((data - factors @ factors.T) ** 2))  # expect: NAN203
            errors.append(error)
        print("{:.8f}".format(errors[-1]))
    return torch.stack(errors).sum()


class Unrolled:
    def unroll(self, data, factors, rounds, batched):
        errors = []
        for _ in range(rounds):
            factors = torch.linalg.lstsq(factors, data).solution
            if batched:
                error = torch.sqrt(torch.sum((data - factors @ factors.T) ** 2, dim=1))  # expect: NAN203
                errors.append(error.mean())
            print("{:.8f}".format(errors[-1]))
        self.errors = errors
        return factors
