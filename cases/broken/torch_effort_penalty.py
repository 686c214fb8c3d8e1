# breaks: gradient(lambda a: Chase().cost(a).sum(), [[0.0, 0.0]])
import torch


class Chase:
    def __init__(self):
        self.place = torch.zeros(1, 2)
        self.goal = torch.ones(1, 2)

    def cost(self, action):
        effort = (action**2).sum(dim=1, keepdim=True) ** 0.5  # expect: NAN203
        distance = ((self.goal - self.place - action) ** 2).sum(dim=1)
        return distance + 0.02 * effort.squeeze(1)
