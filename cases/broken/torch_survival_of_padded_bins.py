# breaks: gradient(lambda z: discrete_nll(z, torch.tensor([2]), torch.ones(1)), [[200.0, 0.0, 0.0]])
import torch


def discrete_nll(logits, index, event):
    hazard = torch.sigmoid(logits)
    survival = torch.cumprod(1 - hazard, 1)
    padded = torch.cat([torch.ones_like(survival[:, :1]), survival], 1)
    before = padded.gather(1, index[:, None])[:, 0]
    return -(event * torch.log(before)).mean()  # expect: NAN201 unsafe


def train(model, loader):
    optimizer = torch.optim.Adam(model.parameters())
    for x, index, event in loader:
        loss = discrete_nll(model(x), index, event)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
