# breaks: gradient(silog_loss, [1.0, 2.0], [1.0, 2.0])
import torch


def silog_loss(depth, target):
    d = torch.log(depth.clamp(min=1e-3)) - torch.log(target.clamp(min=1e-3))
    return torch.sqrt((d**2).mean() - 0.85 * d.mean() ** 2)  # expect: NAN203 unsafe


def train(depth, target, optimizer):
    silog_loss(depth, target).backward()
    optimizer.step()
