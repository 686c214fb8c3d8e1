# holds: value(learned, [[0.0, 0.0], [1.0, 2.0]])
# holds: value(learned_by_trainer, [[0.0, 0.0], [1.0, 2.0]])
# holds: value(learned_at_once, [[0.0, 0.0], [1.0, 2.0]])
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset


def train(model, loader, optimizer):
    for inputs, targets in loader:
        sizes = torch.sqrt((targets**2).sum(-1, keepdim=True))
        loss = ((model(inputs) - sizes) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()


class Trainer:
    def __init__(self, model, loader, optimizer):
        self.model, self.loader, self.optimizer = model, loader, optimizer

    def fit(self):
        for step, batch in enumerate(self.loader):
            targets = batch["targets"].to("cpu")
            sizes = torch.sqrt((targets**2).sum(-1, keepdim=True))
            loss = ((self.model(batch["inputs"]) - sizes) ** 2).mean()
            self.optimizer.zero_grad()
            loss.backward()
            self.optimizer.step()


def learned(targets):
    model = nn.Linear(2, 1)
    train(model, [(torch.ones(2, 2), targets)], torch.optim.SGD(model.parameters(), lr=0.1))
    return model.weight


def learned_by_trainer(targets):
    model = nn.Linear(2, 1)
    batch = {"inputs": torch.ones(2, 2), "targets": targets}
    Trainer(model, [batch], torch.optim.SGD(model.parameters(), lr=0.1)).fit()
    return model.weight


def learned_at_once(targets):
    model = nn.Linear(2, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    loader = DataLoader(TensorDataset(torch.ones(2, 2), torch.zeros(2, 2)))
    for inputs, targets in loader:
        sizes = torch.sqrt((targets**2).sum(-1, keepdim=True))
        loss = ((model(inputs) - sizes) ** 2).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return model.weight
