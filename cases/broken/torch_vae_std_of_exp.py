# breaks: gradient(lambda v: reparameterize(torch.zeros(2), v), [0.0, -220.0])
import torch


def reparameterize(mu, logvar):
    std = torch.sqrt(torch.exp(logvar))  # expect: NAN118
    eps = torch.randn_like(std)
    return mu + eps * std


def kl(mu, logvar):
    return -0.5 * torch.sum(1 + logvar - mu.pow(2) - logvar.exp())


def vae_loss(decoder, x, mu, logvar):
    recon = decoder(reparameterize(mu, logvar))
    loss = ((recon - x) ** 2).sum() + kl(mu, logvar)
    loss.backward()
    return loss
