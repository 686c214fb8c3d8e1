# breaks: value(Head(1, 1).train_step, [[0.0]], [[1.0]])
import torch
import torch.nn as nn


class Head(nn.Module):
    def __init__(self, d, k):
        super().__init__()
        self.fc = nn.Linear(d, k, bias=False)

    def forward(self, x):
        h = self.fc(x)
        return h / (torch.relu(h) + 1e-8)  # expect: NAN502 no-fix

    def train_step(self, x, y):
        with torch.cuda.amp.autocast(), torch.autocast("cpu", dtype=torch.half):
            out = self(x)
            return torch.mean(out * y)
