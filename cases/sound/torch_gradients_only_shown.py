# possible: ignored
# holds: stepped()
import torch


class Descent:
    def __init__(self, params):
        self.params = list(params)

    @torch.no_grad()
    def step(self):
        for p in self.params:
            direction = p.grad / p.grad.norm()
            print(direction)
            p -= 0.1 * p.grad


def stepped():
    w = torch.ones(2, requires_grad=True)
    (w * 0).sum().backward()
    Descent([w]).step()
    return w.detach()
