# breaks: gradient(arcosh, [0.5, 1.0, 3.0])
import torch


class Arcosh(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        x = x.clamp(min=1.0)
        ctx.save_for_backward(x)
        return torch.log(x + torch.sqrt(x * x - 1))

    @staticmethod
    def backward(ctx, grad_output):
        (x,) = ctx.saved_tensors
        return grad_output / (x**2 - 1) ** 0.5  # expect: NAN309 no-fix


def arcosh(x):
    return Arcosh.apply(x)
