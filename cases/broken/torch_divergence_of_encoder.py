"""What an encoder returns beside the code: nothing but its weights bounds the log-variance."""

# breaks: value(lambda z: loss_function(*VAE()(z)), [-90.0, 0.0, 0.0, 0.0])
import torch
from torch import nn


class VAE(nn.Module):
    def __init__(self):
        super().__init__()
        self.mean = nn.Linear(4, 4)
        self.logvar = nn.Linear(4, 4)
        nn.init.eye_(self.mean.weight)
        self.logvar.weight.data = -2 * torch.eye(4)
        self.decoder = nn.Linear(4, 4)

    def encode(self, x):
        return self.mean(x), self.logvar(x)

    def forward(self, x):
        mean, logvar = self.encode(x)
        z = mean + torch.exp(0.5 * logvar) * torch.randn_like(mean)  # expect: NAN504 possible
        return self.decoder(z), x, mean, logvar


def loss_function(reconstruction, x, mean, logvar):
    divergence = -0.5 * torch.sum(1 + logvar - mean.pow(2) - logvar.exp())  # expect: NAN504 no-fix
    return nn.functional.mse_loss(reconstruction, x) + divergence


if __name__ == "__main__":
    model = VAE()
    optimizer = torch.optim.Adam(model.parameters())
    for _ in range(3):
        x = torch.randn(8, 4)
        loss = loss_function(*model(x))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
