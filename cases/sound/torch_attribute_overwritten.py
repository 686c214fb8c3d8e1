"""Only the last of several values that a block stores in an attribute is there for other methods."""

# holds: gradient(lambda x: entropy(Clamped(), x), [[200.0, 0.0]])
# holds: gradient(lambda x: entropy(Mixed(), x), [[200.0, 0.0]])
# holds: gradient(lambda x: penalty(Bounded(), x), [[200.0, -200.0]])
import torch


class Clamped:
    def forward(self, x):
        self.probs = torch.softmax(x, -1)
        self.probs = torch.clamp(self.probs, 1e-6, 1)
        return self.probs

    def entropy(self):
        return -torch.log(self.probs).mean()


class Mixed:
    def forward(self, x):
        if x.ndim > 1:
            self.probs = torch.softmax(x, -1)
            self.probs = 0.9 * self.probs
            self.probs += 0.1 / 2
        return x

    def entropy(self):
        return -torch.log(self.probs).mean()


class Bounded:
    def forward(self, x):
        self.log_alpha = 2 * x
        self.log_alpha = torch.clamp(self.log_alpha, -10, 10)
        return x

    def penalty(self):
        return 0.5 * torch.log1p(torch.exp(-self.log_alpha)).sum()


def entropy(policy, x):
    policy.forward(x)
    return policy.entropy()


def penalty(layer, x):
    layer.forward(x)
    return layer.penalty()
