from dataclasses import dataclass

import torch
import torch.nn.functional as F


@dataclass
class Settings:
    rate: float = 5e-4
    gamma: float = 2.0


class Trainer:
    def __init__(self, settings):
        self.settings = settings

    def loss(self, logits, labels):
        raise NotImplementedError


class FocalTrainer(Trainer):
    def loss(self, logits, labels):
        error = F.cross_entropy(logits, labels, reduction="none")
        right = torch.exp(-error)
        return ((1.0 - right) ** self.settings.gamma * error).mean()


def step(model, optimizer, x, labels):
    trainer = FocalTrainer(Settings())
    trainer.loss(model(x), labels).backward()
    optimizer.step()
