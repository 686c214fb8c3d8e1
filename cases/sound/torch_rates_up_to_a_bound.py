# holds: value(lambda x: Rates().bounded(x), [[1.0, 1.0]])
# holds: value(lambda x: Rates().draws(x), [[1.0, 1.0]])
# What overflows is bounded, and no gradient is taken of it.
import torch


class Rates(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)
        torch.nn.init.constant_(self.layer.weight, 100.0)

    @torch.no_grad()
    def bounded(self, x):
        return torch.exp(self.layer(x)).clamp(max=1e6)

    @torch.no_grad()
    def draws(self, x):
        outputs = self.layer(x)
        noise = torch.log(torch.rand_like(outputs).clamp(1e-5, 1 - 1e-5))
        return (outputs + torch.exp(outputs) * noise).clamp(-1, 1)
