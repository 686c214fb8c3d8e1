# breaks: value(gram, [[[[-1.0, -2.0]]]])
import torch.nn.functional as F


def gram(f):
    f = F.relu(f).flatten(2)
    g = f @ f.transpose(1, 2)
    return g / g.norm(dim=(1, 2), keepdim=True)  # expect: NAN303 unsafe


def train(student, loader, optimizer):
    for x, y in loader:
        loss = (gram(student(x)) - y).pow(2).mean()
        loss.backward()
        optimizer.step()
