# holds: value(learning, [30.0], [0.0])
import torch
from torch import nn


class Discriminator(nn.Module):
    def __init__(self, ngpu=0):
        super().__init__()
        self.ngpu = ngpu
        self.main = nn.Sequential(nn.Identity(), nn.Identity())

    def forward(self, x):
        if x.is_cuda and self.ngpu > 1:
            output = nn.parallel.data_parallel(self.main, x, range(self.ngpu))
        else:
            output = self.main(x)
        return output.view(-1, 1).squeeze(1)


criterion = nn.BCEWithLogitsLoss()
net = Discriminator()


def adversarial_loss(x, label):
    return criterion(net(x), label)


def learning(x, label):
    x = x.clone().requires_grad_()
    (slope,) = torch.autograd.grad(adversarial_loss(x, label), x)
    return 1 / slope


def train(x, label, optimizer):
    adversarial_loss(x, label).backward()
    optimizer.step()
