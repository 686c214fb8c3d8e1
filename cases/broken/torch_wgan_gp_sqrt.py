# breaks: gradient(slope_penalty, [[0.0, 0.0, 0.0]])
import torch


def slope_penalty(grads):
    slopes = torch.sqrt(torch.sum(grads ** 2, dim=1))  # expect: NAN203
    return ((slopes - 1) ** 2).mean()


def gradient_penalty(critic, real, fake):
    alpha = torch.rand(real.size(0), 1)
    mixed = (alpha * real + (1 - alpha) * fake).requires_grad_(True)
    score = critic(mixed)
    grads = torch.autograd.grad(
        score, mixed, torch.ones_like(score), create_graph=True, retain_graph=True
    )[0]
    return 10 * slope_penalty(grads)
