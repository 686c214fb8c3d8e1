# breaks: gradient(lambda x: Classifier.nll(x, torch.tensor([1])), [[200.0, 0.0]])
import torch
import torch.nn as nn
import torch.nn.functional as F


class Classifier(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc1 = nn.Linear(784, 128)
        self.fc2 = nn.Linear(128, 10)

    def forward(self, x):
        h = F.relu(self.fc1(x))
        return self.fc2(h)

    @staticmethod
    def nll(logits, target):
        prob = F.softmax(logits, dim=1)
        picked = prob.gather(1, target.unsqueeze(1))
        return -picked.log().mean()  # expect: NAN101


def train(model, loader, epochs=3):
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for _ in range(epochs):
        for images, labels in loader:
            optimizer.zero_grad()
            loss = model.nll(model(images.view(-1, 784)), labels)
            loss.backward()
            optimizer.step()
