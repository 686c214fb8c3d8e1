# breaks: value(loss, [1.0, 2.0], [np.nan, np.nan])
import numpy as np
import torch
import torch.nn.functional as F


def loss(prediction, target):
    known = ~torch.isnan(target)
    errors = F.l1_loss(prediction[known], target[known], reduction="none")
    return errors.mean()  # expect: NAN307 no-fix


def step(model, x, targets):
    total = sum(loss(one, target) for one, target in zip(model(x), targets))
    total.backward()
