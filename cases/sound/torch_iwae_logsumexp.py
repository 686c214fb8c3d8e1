# holds: gradient(iwae, [[-1000.0], [-1000.0]])
import math

import torch


def iwae(log_w):
    k = log_w.shape[0]
    return -(torch.logsumexp(log_w, 0) - math.log(k)).mean()


def normalised_weights(log_w):
    w = torch.exp(log_w - log_w.max(0, keepdim=True)[0])
    return w / w.sum(0, keepdim=True)
