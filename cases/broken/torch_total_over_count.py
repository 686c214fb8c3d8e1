# breaks: value(masked_loss, [[1.0, 2.0]], [[0.0, 0.0]])
# breaks: value(lambda x: of_pairs(x, [0, 0]), [[1.0], [2.0]])
# breaks: value(lambda x: of_rows(x, torch.zeros(2, 1)), [[1.0], [2.0]])
import torch


def masked_loss(x, mask):
    total = torch.zeros(())
    count = torch.zeros(())
    for row, m in zip(x, mask):
        keep = m > 0
        total = total + (row[keep] ** 2).sum()
        count = count + keep.sum()
    return total / count  # expect: NAN309 no-fix


def of_pairs(x, labels):
    loss = x.new_zeros(())
    pairs = 0
    for i in range(len(labels)):
        for j in range(len(labels)):
            if labels[i] != labels[j]:
                loss += (x[i] - x[j]).pow(2).sum()
                pairs += 1
    return loss / pairs  # expect: NAN309 no-fix


def of_rows(x, mask):
    loss = torch.tensor(0.0)
    rows = 0
    for b in range(x.shape[0]):
        if mask[b].sum() > 0:
            loss = loss + x[b].abs().mean()
            rows = rows + 1
    return loss / rows  # expect: NAN309 no-fix
