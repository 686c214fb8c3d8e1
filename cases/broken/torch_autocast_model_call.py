# breaks: value(evaluate, [[0.0]])
import torch
import torch.nn as nn


class Head(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(1, 1, bias=False)

    def forward(self, x):
        h = self.fc(x)
        return h / (torch.relu(h) + 1e-8)  # expect: NAN502 no-fix


model = Head()


def evaluate(x):
    with torch.autocast("cpu", dtype=torch.half):
        return model(x)
