# breaks: gradient(lambda x: nb_nll(torch.ones(1), x, torch.ones(1)), [100.0])
import torch


def nb_nll(y, log_mu, theta):
    mu = torch.exp(log_mu)
    log_theta_mu = torch.log(theta + mu)
    return -(y * torch.log(mu / (theta + mu)) + theta * (torch.log(theta) - log_theta_mu)).mean()  # todo-expect: NAN201
