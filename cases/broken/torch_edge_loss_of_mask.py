import torch
import torch.nn as nn
import torch.nn.functional as F


class Segmenter(nn.Module):
    def __init__(self, encoder, attention):
        super().__init__()
        self.encoder = encoder
        self.attention = attention
        self.head = nn.Linear(64, 1)

    def forward(self, x, mask):
        return self.head(self.attention(self.encoder(x), mask))

    def training_step(self, batch):
        x, mask = batch
        logits = self(x, mask)
        return F.binary_cross_entropy(torch.sigmoid(logits), mask.float())  # expect: NAN601 unsafe


def edges(model, images, mask):
    scores = model(images, mask)
    return F.binary_cross_entropy(torch.sigmoid(scores), mask.float())  # expect: NAN601 unsafe
