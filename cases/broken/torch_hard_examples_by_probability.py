# breaks: value(lambda logits: hard_loss(logits, torch.tensor([0, 1])), [[9.0, 0.0], [0.0, 9.0]])
import torch
import torch.nn.functional as F


def hard_loss(logits, y):
    loss = F.cross_entropy(logits, y, reduction="none")
    with torch.no_grad():
        p = logits.softmax(1).gather(1, y[:, None])[:, 0]
    hard = p < 0.7
    return loss[hard].mean()  # expect: NAN307 no-fix


def train(model, loader):
    optimizer = torch.optim.SGD(model.parameters(), 0.1)
    for x, y in loader:
        loss = hard_loss(model(x), y)
        loss.backward()
        optimizer.step()
