# breaks: value(contrastive_loss, [200.0], [[90.0, 150.0]]), gradient(contrastive_loss, [200.0], [[90.0, 150.0]])
# breaks: value(partition_loss, [-200.0], [[-90.0, -150.0]])
import torch


def contrastive_loss(near, far):
    return (torch.log(torch.exp(near) + torch.exp(far).sum(-1)) - near).mean()  # expect: NAN104 no-fix


def partition_loss(real, fake):
    z = torch.sum(torch.exp(-real)) + torch.sum(torch.exp(-fake))
    return real.mean() + torch.log(z)  # expect: NAN104 no-fix
