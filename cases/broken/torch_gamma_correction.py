# breaks: gradient(encode, [0.0, 0.5])
import torch


def encode(image, gamma=2.2):
    image = torch.clamp(image, 0.0, 1.0)
    return image ** (1 / 2.2)  # expect: NAN206 unsafe


def photometric(render, target, optimizer):
    loss = ((encode(render) - encode(target)) ** 2).mean()
    loss.backward()
    optimizer.step()
