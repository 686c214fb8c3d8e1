"""A value that a method reads, or that is overwritten on some paths only, is there."""

# breaks: gradient(lambda x: Asked().forward(x), [[200.0, 0.0]])
# breaks: gradient(lambda x: entropy(Sometimes(), x), [[200.0, 0.0]])
# breaks: gradient(lambda x: penalty(Free(), x), [[200.0, -200.0]])
import torch


class Asked:
    def forward(self, x):
        self.probs = torch.softmax(x, -1)
        entropy = self.entropy()
        self.probs = torch.clamp(self.probs, 1e-6, 1)
        return entropy + self.probs.sum()

    def entropy(self):
        return -torch.log(self.probs).mean()  # expect: NAN101 no-fix


class Sometimes:
    def forward(self, x):
        self.probs = torch.softmax(x, -1)
        if x.ndim == 1:
            self.probs = torch.clamp(self.probs, 1e-6, 1)
        return self.probs

    def entropy(self):
        return -torch.log(self.probs).mean()  # expect: NAN101 no-fix


class Free:
    def forward(self, x):
        self.log_alpha = torch.clamp(x, -10, 10)
        self.log_alpha = 2 * x
        return x

    def penalty(self):
        return 0.5 * torch.log1p(torch.exp(-self.log_alpha)).sum()  # expect: NAN105


def entropy(policy, x):
    policy.forward(x)
    return policy.entropy()


def penalty(layer, x):
    layer.forward(x)
    return layer.penalty()
