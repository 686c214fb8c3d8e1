# holds: gradient(mdn_loss, [[0.0, 0.0]], [[0.0, 1.0]], [[0.0, 0.0]], [[300.0]])
import torch
import torch.nn.functional as F


def mdn_loss(pi_logits, mu, log_sigma, y):
    log_pi = F.log_softmax(pi_logits, dim=1)
    log_sigma = log_sigma.clamp(-7, 7)
    log_prob = -0.5 * ((y - mu) / log_sigma.exp()) ** 2 - log_sigma
    return -torch.logsumexp(log_pi + log_prob, dim=1).mean()
