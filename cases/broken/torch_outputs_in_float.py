# breaks: gradient(lambda x: Keypoints()(x), [[1.0, 2.0], [3.0, 4.0]])
# breaks: gradient(lambda x: Keypoints().columns(x), [[1.0, 2.0], [3.0, 4.0]])
# breaks: gradient(lambda x: Keypoints().parts(x), [[1.0, 2.0], [3.0, 4.0]])
import torch
import torch.nn as nn


class Keypoints(nn.Module):
    def __init__(self):
        super().__init__()
        self.head = nn.Linear(2, 3)
        self.body = nn.Sequential(nn.Linear(2, 2), nn.Linear(2, 2))
        nn.init.zeros_(self.head.weight)
        nn.init.zeros_(self.head.bias)
        nn.init.zeros_(self.body[1].weight)
        nn.init.zeros_(self.body[1].bias)

    def both(self, x):
        return self.body(x), self.head(x)

    def forward(self, x):
        offset = self.body(x).float()
        return torch.sqrt((offset**2).sum(-1)).mean()  # expect: NAN203 safe

    def columns(self, x):
        offset = self.head(x)[:, :2].float()
        return torch.sqrt((offset**2).sum(-1)).mean()  # expect: NAN203 safe

    def parts(self, x):
        offset, score = self.both(x)
        distance = torch.sqrt((offset.float() ** 2).sum(-1))  # expect: NAN203 safe
        return (distance * score.float().sum(-1)).mean()
