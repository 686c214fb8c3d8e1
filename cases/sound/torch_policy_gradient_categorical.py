import torch
from torch.distributions import Categorical


class Agent:
    def __init__(self, policy, gamma=0.99):
        self.policy, self.gamma = policy, gamma
        self.saved = []

    def act(self, state):
        dist = Categorical(logits=self.policy(state))
        action = dist.sample()
        self.saved.append(dist.log_prob(action))
        return action.item()

    def finish(self, rewards, optimizer):
        R, returns = 0.0, []
        for r in rewards[::-1]:
            R = r + self.gamma * R
            returns.insert(0, R)
        returns = torch.tensor(returns)
        returns = (returns - returns.mean()) / (returns.std(unbiased=False) + 1e-8)
        loss = torch.stack([-lp * R for lp, R in zip(self.saved, returns)]).sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
