# breaks: gradient(lambda z: divergence(z, torch.tensor([[0.0, 400.0, 400.0]]), 1.0), [[-400.0, 400.0, 0.0]])
import torch
import torch.nn.functional as F


def divergence(student, teacher, temperature):
    p = F.softmax(student / temperature, dim=-1)
    q = F.softmax(teacher, dim=-1)
    mean = 0.5 * (p + q)
    return F.kl_div(mean.log(), p, reduction="batchmean")  # expect: NAN201 unsafe


def train(student, teacher, loader):
    optimizer = torch.optim.SGD(student.parameters(), 0.1)
    for x in loader:
        loss = divergence(student(x), teacher(x), 4.0)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
