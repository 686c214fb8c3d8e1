# breaks: value(iwae, [[-1000.0], [-1000.0]])
import torch


def iwae(log_w):
    w = torch.exp(log_w)
    return -torch.log(w.mean(0)).mean()  # expect: NAN104


def elbo(log_px, log_pz, log_qz):
    return iwae(log_px + log_pz - log_qz)
