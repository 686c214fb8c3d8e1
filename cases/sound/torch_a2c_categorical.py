# holds: gradient(lambda z: a2c(z, torch.zeros(1), torch.ones(1), torch.tensor([1])), [[200.0, 0.0]])
import torch
from torch.distributions import Categorical


def a2c(logits, values, returns, actions):
    policy = Categorical(logits=logits)
    advantage = returns - values
    actor = -(policy.log_prob(actions) * advantage.detach()).mean()
    return actor + 0.5 * advantage.pow(2).mean() - 0.01 * policy.entropy().mean()
