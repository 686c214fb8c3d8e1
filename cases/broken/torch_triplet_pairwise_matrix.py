# breaks: gradient(pairwise_distances, [[1.0, 2.0], [1.0, 2.0]])
import torch


def pairwise_distances(x):
    dot = x @ x.t()
    sq = dot.diag()
    d2 = sq.unsqueeze(0) - 2.0 * dot + sq.unsqueeze(1)
    d2 = torch.clamp(d2, min=0.0)
    return torch.sqrt(d2)  # expect: NAN203


def batch_hard(x, labels, margin=0.2):
    d = pairwise_distances(x)
    same = labels.unsqueeze(0) == labels.unsqueeze(1)
    hardest_positive = (d * same.float()).max(dim=1).values
    hardest_negative = (d + 1e6 * same.float()).min(dim=1).values
    loss = torch.relu(hardest_positive - hardest_negative + margin).mean()
    loss.backward()
    return loss
