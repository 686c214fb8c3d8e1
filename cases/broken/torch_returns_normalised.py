# breaks: value(discounted, [1.0], 0.9)
import torch


def discounted(rewards, gamma=0.99):
    returns, running = [], 0.0
    for r in reversed(list(rewards)):
        running = r + gamma * running
        returns.insert(0, running)
    returns = torch.tensor(returns)
    return (returns - returns.mean()) / returns.std()  # expect: NAN304 unsafe
