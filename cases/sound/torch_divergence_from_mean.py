# holds: gradient(lambda z: divergence(z, torch.tensor([[0.0, 400.0, 400.0]]), 1.0), [[-400.0, 400.0, 0.0]])
import torch
import torch.nn.functional as F


def divergence(student, teacher, temperature):
    log_p = F.log_softmax(student / temperature, dim=-1)
    log_q = F.log_softmax(teacher, dim=-1)
    log_mean = torch.logaddexp(log_p, log_q) - 0.6931471805599453
    return F.kl_div(log_mean, log_p, reduction="batchmean", log_target=True)


def smoothed(student, teacher):
    p = F.softmax(student, dim=-1)
    mean = 0.9 * p + 0.1 / p.shape[-1]
    return F.kl_div(mean.log(), F.softmax(teacher, dim=-1), reduction="batchmean")


def train(student, teacher, loader):
    optimizer = torch.optim.SGD(student.parameters(), 0.1)
    for x in loader:
        loss = divergence(student(x), teacher(x), 4.0) + smoothed(student(x), teacher(x))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
