# breaks: 1 / gradient(lambda x: criterion(torch.sigmoid(x), torch.ones(1)), [-200.0])[0]
# BCELoss clamps its logs at -100: the gradient of a score of 0 is 0, and not -1.
import torch
import torch.nn as nn

discriminator = nn.Sequential(nn.Linear(784, 1), nn.Sigmoid())
criterion = nn.BCELoss()


def generator_step(G, optimizer, z):
    score = discriminator(G(z))
    loss = criterion(score, torch.ones_like(score))  # expect: NAN601 no-fix
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
