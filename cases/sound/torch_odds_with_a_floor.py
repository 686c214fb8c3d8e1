# holds: value(lambda x: Odds()(x), [[20.0, 20.0]])
# holds: value(lambda x: Odds().kept(x), [[20.0, 20.0]])
# holds: value(lambda x: Odds().bounded(x), [[20.0, 20.0]])
# holds: value(lambda x: Odds().shifted(x), [[20.0, 20.0]])
import torch
import torch.nn as nn
import torch.nn.functional as F


class Odds(nn.Module):
    def __init__(self):
        super().__init__()
        self.logits = nn.Linear(2, 1)
        nn.init.ones_(self.logits.weight)

    def forward(self, x):
        p = torch.sigmoid(self.logits(x))
        return p / (1 - p + 1e-6)

    def kept(self, x):
        p = torch.sigmoid(self.logits(x)).clamp(max=0.999)
        return p / (1 - p)

    def bounded(self, x):
        p = torch.sigmoid(torch.tanh(self.logits(x)))
        return p / (1 - p)

    def scale(self, x):
        return F.softplus(self.logits(x)) + 1e-3

    def shifted(self, x):
        return x / self.scale(x)
