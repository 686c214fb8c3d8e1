# breaks: value(lambda x: Rates().bounded(x), [[1.0, 1.0]])
# breaks: gradient(lambda x: Rates().trained(x).sum(), [[1.0, 1.0]])
import torch


class Rates(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = torch.nn.Linear(2, 2)
        torch.nn.init.constant_(self.layer.weight, 100.0)

    @torch.no_grad()
    def bounded(self, x):
        return torch.exp(self.layer(x)).clamp(min=1e-6)  # expect: NAN504 no-fix

    def trained(self, x):
        return torch.exp(self.layer(x)).clamp(max=1e6)  # expect: NAN405
