import torch
import torch.nn as nn


class Discriminator(nn.Module):
    def __init__(self):
        super().__init__()
        self.net = nn.Sequential(
            nn.Linear(784, 256),
            nn.LeakyReLU(0.2),
            nn.Linear(256, 1),
        )
        self.out = nn.Sigmoid()

    def forward(self, x):
        return self.out(self.net(x))

    def generator_loss(self, fake):
        score = self.out(self.net(fake))
        return -torch.mean(torch.log(score))  # expect: NAN102


def train_generator(G, D, opt, batch_size):
    z = torch.randn(batch_size, 64)
    loss = D.generator_loss(G(z))
    opt.zero_grad()
    loss.backward()
    opt.step()
