# breaks: value(drawn, [[1.0, 2.0, 3.0]])
# One step at a rate that is too high, and the encoder's variance is e to the power of hundreds.
import torch
from torch import nn


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.hidden = nn.Linear(3, 8)
        self.mean = nn.Linear(8, 2)
        self.logvar = nn.Linear(8, 2)
        self.decoder = nn.Linear(2, 3)

    def reparameterize(self, mean, logvar):
        std = torch.exp(0.5 * logvar)  # expect: NAN504 possible
        return mean + torch.randn_like(std) * std

    def forward(self, x):
        h = torch.relu(self.hidden(x))
        mean, logvar = self.mean(h), self.logvar(h)
        return self.decoder(self.reparameterize(mean, logvar)), mean, logvar


def drawn(x, rate=1e3):
    torch.manual_seed(0)
    vae = VAE()
    optimizer = torch.optim.SGD(vae.parameters(), lr=rate)
    for _ in range(3):
        optimizer.zero_grad()
        output, mean, logvar = vae(x)
        loss = ((output - x) ** 2).sum()
        loss.backward()
        optimizer.step()
    return vae(x)[0]
