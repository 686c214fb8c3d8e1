# breaks: gradient(lambda z: c51_loss(z, torch.tensor([[0.0, 1.0]])), [[200.0, 0.0]])
import torch
import torch.nn.functional as F


def distribution(z, n_actions=1, n_atoms=2):
    return F.softmax(z.view(-1, n_actions, n_atoms), dim=2)


def c51_loss(z, target):
    dist = distribution(z)
    chosen = dist[:, 0]
    return -(target * chosen.log()).sum(1).mean()  # expect: NAN101 no-fix
