# breaks: value(reward_of, [[200.0, 0.0]], [[0.0, -200.0]])
# The reward is made without gradients, and infinite all the same.
import torch
from torch import nn


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.score = nn.Linear(4, 1)

    def predict_reward(self, state, action):
        with torch.no_grad():
            s = torch.sigmoid(self.score(torch.cat([state, action], dim=1)))
            return s.log() - (1 - s).log()  # expect: NAN102; NAN102


def reward_of(state, action):
    discriminator = Discriminator()
    nn.init.ones_(discriminator.score.weight)
    discriminator.score.weight.data[0, 3] = -1.0
    return discriminator.predict_reward(state, action)
