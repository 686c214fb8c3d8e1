"""The loss differentiates through the advantage that it is passed: equal returns give NaN."""

# breaks: gradient(scaled, [[1.0], [1.0]])
import torch
from torch import nn


def scaled(advantage):
    return (advantage - advantage.mean()) / (torch.sqrt(advantage.var()) + 1e-8)  # expect: NAN405 unsafe


class Agent:
    def __init__(self):
        self.critic = nn.Linear(2, 1)
        self.actor = nn.Linear(2, 2)
        self.optimizer = torch.optim.Adam([*self.critic.parameters(), *self.actor.parameters()])

    def update(self, states, actions, returns):
        advantage = returns - self.critic(states)
        advantage = (advantage - advantage.mean()) / (torch.sqrt(advantage.var()) + 1e-8)  # expect: NAN405 unsafe
        for _ in range(3):
            self.optimizer.zero_grad()
            self.step(states, actions, advantage, returns).backward()
            self.optimizer.step()

    def step(self, states, actions, advantage, returns):
        loss = self.policy_loss(states, actions, advantage)
        return loss + self.log(advantage.detach()) + ((self.critic(states) - returns) ** 2).mean()

    def log(self, advantage):
        return advantage.abs().mean()

    def policy_loss(self, states, actions, advantage):
        chosen = torch.log_softmax(self.actor(states), -1).gather(1, actions)
        return -(chosen * advantage).mean()
