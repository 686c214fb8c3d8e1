# holds: gradient(penalty, [[0.0, 0.0]])
# The gradient of `norm` is 0 at the zero vector.
import torch


def penalty(grads):
    return ((grads.norm(2, dim=1) - 1) ** 2).mean()


def gradient_penalty(critic, real, fake, weight=10.0):
    eps = torch.rand(real.size(0), 1, device=real.device)
    x = (eps * real + (1 - eps) * fake).requires_grad_(True)
    y = critic(x)
    (grads,) = torch.autograd.grad(y.sum(), x, create_graph=True)
    return weight * penalty(grads.view(grads.size(0), -1))
