# breaks: value(lambda x: consistency(torch.nn.Identity(), x, x), [[0.1, 0.0], [0.0, 0.1]])
import torch
import torch.nn.functional as F


def consistency(model, weak, strong, threshold=0.95):
    with torch.no_grad():
        confidence, label = model(weak).softmax(-1).max(-1)
    loss = F.cross_entropy(model(strong), label, reduction="none")
    return loss[confidence > threshold].mean()  # expect: NAN307 no-fix


def train(model, loader, optimizer):
    for weak, strong in loader:
        optimizer.zero_grad()
        consistency(model, weak, strong).backward()
        optimizer.step()
