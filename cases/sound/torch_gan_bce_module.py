# holds: gradient(lambda x: criterion(torch.sigmoid(x), torch.ones(1)), [-200.0])
# BCELoss clamps its logs at -100.
import torch
import torch.nn as nn

discriminator = nn.Sequential(nn.Linear(784, 1), nn.Sigmoid())
criterion = nn.BCELoss()


def generator_step(G, optimizer, z):
    score = discriminator(G(z))
    loss = criterion(score, torch.ones_like(score))
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
