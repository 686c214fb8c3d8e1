import torch


class ExponentialArrivals:
    def __init__(self, rate=2.0):
        self.rate = rate

    def arrivals(self, n):
        t, out = torch.zeros(()), []
        for _ in range(n):
            t = t - torch.log(torch.rand(())) / self.rate  # expect: NAN211 no-fix
            out.append(t)
        return torch.stack(out)
