# breaks: value(lambda x: Evidential().aleatoric(x), [[1.0, 2.0]])
# breaks: value(lambda x: Evidential().epistemic(x), [[1.0, 2.0]])
# breaks: value(lambda x: Evidential().odds(x), [[-1.0, -2.0]])
# breaks: value(lambda x: Evidential().squashed(x), [[1.0, 2.0]])
import torch
import torch.nn as nn
import torch.nn.functional as F


class Evidential(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(2, 4)
        nn.init.constant_(self.head.weight, -10.0)
        nn.init.zeros_(self.head.bias)

    def parameters_of(self, x):
        gamma, nu, alpha, beta = self.head(x).chunk(4, dim=-1)
        return gamma, F.softplus(nu), F.softplus(alpha) + 1, F.softplus(beta)

    def aleatoric(self, x):
        gamma, nu, alpha, beta = self.parameters_of(x)
        return beta / (alpha - 1)  # expect: NAN309 no-fix

    def epistemic(self, x):
        gamma, nu, alpha, beta = self.parameters_of(x)
        return beta / (nu * (alpha - 1))  # expect: NAN309 no-fix

    def odds(self, x):
        p = torch.sigmoid(self.head(x))
        return p / (1 - p)  # expect: NAN309 no-fix

    def squashed(self, x):
        action = torch.tanh(self.head(x))
        return self.head(x) / (1 - action**2)  # expect: NAN309 no-fix
