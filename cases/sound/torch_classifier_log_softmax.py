# holds: gradient(lambda x: nll(x, torch.tensor([1])), [[200.0, 0.0]])
import torch
import torch.nn as nn
import torch.nn.functional as F


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(784, 10)
        self.log_softmax = nn.LogSoftmax(dim=1)

    def forward(self, x):
        return self.log_softmax(self.fc(x))

    def predict(self, x):
        return F.softmax(self.fc(x), dim=1).argmax(1)


def nll(logits, target):
    logp = F.log_softmax(logits, dim=1)
    return -logp.gather(1, target.unsqueeze(1)).mean()
