# breaks: value(lambda x: Head().loss(x, x), [[1.0, 2.0]])
# breaks: value(lambda x: Head().squares(x, x), [[1.0, 2.0]])
# breaks: value(lambda x: whitened(Head(), x), [[1.0, 2.0]])
import torch.nn as nn
import torch.nn.functional as F


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(2, 2)
        nn.init.constant_(self.linear.weight, -50.0)

    def scale(self, x):
        return F.softplus(self.linear(x))

    def forward(self, x):
        mean, log_scale = self.linear(x), self.linear(x)
        return mean, log_scale.exp()  # expect: NAN504 no-fix

    def loss(self, x, y):
        return (y / self.scale(x)).mean()  # expect: NAN309 no-fix

    def squares(self, x, y):
        mean, scale = self(x)
        return ((y - mean) ** 2 / scale**2).mean()  # expect: NAN309 no-fix


def whitened(head: Head, x):
    return x / head.scale(x)  # expect: NAN309 no-fix
