# holds: value(loss, [1.0, 2.0], [np.nan, np.nan]), value(centre, [1.0, np.nan])
import numpy as np
import torch
import torch.nn.functional as F


def loss(prediction, target):
    known = ~torch.isnan(target)
    if not known.any():
        return prediction.sum() * 0.0
    errors = F.l1_loss(prediction[known], target[known], reduction="none")
    return errors.mean()


def centre(x):
    return x[~torch.isnan(x)].mean()


def step(model, x, targets):
    total = sum(loss(one, target) for one, target in zip(model(x), targets))
    total.backward()
