import torch


def f(x):
    score = torch.log(torch.relu(x)).sum()  # expect: NAN201 no-fix
    if score < -100.5:
        raise ValueError("the score is too low")
    return score
