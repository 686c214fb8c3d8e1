# breaks: value(lambda g: Ratio([]).direction(torch.ones(2), g), [0.0, 0.0])
import torch


class Ratio:
    def __init__(self, parameters, rate=0.1):
        self.parameters, self.rate = list(parameters), rate

    @torch.no_grad()
    def step(self):
        for parameter in self.parameters:
            if parameter.grad is not None:
                direction = self.direction(parameter, parameter.grad)
                parameter.sub_(self.rate * direction)

    def direction(self, parameter, gradient):
        ratio = 0.01 * parameter.norm() / gradient.norm()  # expect: NAN303 unsafe
        return 0.5 * ratio * gradient
