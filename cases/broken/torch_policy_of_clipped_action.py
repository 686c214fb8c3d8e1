# breaks: value(log_prob, [0.1, 0.2], [-1.0, -1.0], [1.0, 0.5])
import torch


def log_prob(mean, log_std, action):
    raw = torch.atanh(action)  # expect: NAN209 unsafe
    z = (raw - mean) * torch.exp(-log_std)
    normal = -0.5 * z.square() - log_std
    return (normal - torch.log(1.0 - action.square() + 1e-6)).sum(-1)
