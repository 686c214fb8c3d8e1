import torch
import torch.nn as nn
import torch.nn.functional as F


class Autoencoder(nn.Module):
    def __init__(self, encoder, decoder):
        super().__init__()
        self.encoder = encoder
        self.decoder = decoder

    def forward(self, x, mask):
        return self.decoder(self.encoder(x, mask), mask)

    def training_step(self, batch):
        x, mask = batch
        logits = self(x, mask)
        return F.binary_cross_entropy(torch.sigmoid(logits), x.float())


def rebuild(model, images, mask):
    logits = model(images, mask)
    return F.binary_cross_entropy(torch.sigmoid(logits), images.flatten(1))


def rebuild_what_is_shown(model, images, mask):
    logits = model(images * mask)
    return F.binary_cross_entropy(torch.sigmoid(logits), images)


def rebuild_by_name(model, images, mask):
    logits = model(x=images, mask=mask)
    return F.binary_cross_entropy(torch.sigmoid(logits), images)
