# breaks: value(lambda x: step(x, torch.eye(3)[:1]), [[1e6, -1e6, 1e6, 1e6]])
import torch
import torch.nn as nn

model = nn.Sequential(
    nn.Linear(4, 16),
    nn.ReLU(),
    nn.Linear(16, 3),
    nn.Softmax(dim=1),
)
optimizer = torch.optim.Adam(model.parameters(), lr=1e-3)


def step(x, one_hot):
    probs = model(x)
    loss = -(one_hot * torch.log(probs)).sum(dim=1).mean()  # expect: NAN101 no-fix
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()
    return loss.item()
