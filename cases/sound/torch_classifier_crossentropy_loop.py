import torch
import torch.nn as nn
import logging

log = logging.getLogger(__name__)
model = nn.Sequential(nn.Linear(4, 16), nn.ReLU(), nn.Linear(16, 3))
criterion = nn.CrossEntropyLoss()
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3, eps=1e-8)


def train_epoch(loader):
    total = 0.0
    for i, (x, y) in enumerate(loader):
        loss = criterion(model(x), y)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
    log.info("loss %.3f", total / len(loader))
    return total / len(loader)
