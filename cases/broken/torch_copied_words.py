# breaks: nll(torch.tensor([[0.0, 1.0]]), torch.tensor([[3, 4]]), torch.tensor([[1]]), 5)
import torch
import torch.nn.functional as F


def nll(scores, source, target, vocabulary):
    attention = torch.softmax(scores, -1)
    words = F.one_hot(source, vocabulary).float()
    copied = torch.bmm(attention.unsqueeze(1), words).squeeze(1)
    return -torch.log(copied.gather(1, target)).mean()  # expect: NAN201 unsafe
