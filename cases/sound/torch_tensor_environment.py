# holds: value(lambda a: Chase().step(a)[1], [[0.0, 0.0]])
import torch


class Chase:
    def __init__(self):
        self.reset()

    def reset(self):
        self.place = torch.zeros(1, 2)
        self.goal = torch.ones(1, 2)
        return self.place

    def step(self, action):
        effort = (action**2).sum(dim=1, keepdim=True) ** 0.5
        self.place = self.place + action
        distance = ((self.goal - self.place) ** 2).sum(dim=1) ** 0.5
        reward = -distance - 0.02 * effort.squeeze(1)
        return self.place, reward, distance < 0.1, {}
