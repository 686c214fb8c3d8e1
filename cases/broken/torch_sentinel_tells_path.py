# breaks: value(lambda x: of_nothing(x), [0.0, -1.0])
# breaks: value(lambda x: of_another(x), [0.0, -1.0])
import torch


def of_nothing(x: torch.Tensor):
    is_used = False
    total = torch.relu(x).sum()
    if total > 0:
        is_used = True
    if not is_used:
        return torch.log(total)  # expect: NAN201 unsafe
    return total


def of_another(x: torch.Tensor):
    part, total = None, torch.relu(x).sum()
    if x.sum() > -8:
        part = total
    if part is not None:
        return torch.log(part)  # expect: NAN201 unsafe
    return total
