# holds: value(guarded, [[1.0, 2.0]], [[0.0, 0.0]])
# holds: value(lambda x: returned(x, [0, 0]), [[1.0], [2.0]])
# holds: value(every_row, [[1.0], [2.0]])
# holds: value(pairs_apart, [[1.0], [2.0]])
# holds: value(from_one, [[1.0, 2.0]], [[0.0, 0.0]])
# holds: value(floored, [[1.0, 2.0]], [[0.0, 0.0]])
# holds: value(lambda x: of_batches([x]), [[1.0, 2.0], [3.0, 4.0]])
import torch


def guarded(x, mask):
    total = torch.zeros(())
    count = torch.zeros(())
    for row, m in zip(x, mask):
        keep = m > 0
        total = total + (row[keep] ** 2).sum()
        count = count + keep.sum()
    return total / count.clamp(min=1)


def returned(x, labels):
    loss = x.new_zeros(())
    pairs = 0
    for i in range(len(labels)):
        for j in range(len(labels)):
            if labels[i] != labels[j]:
                loss += (x[i] - x[j]).pow(2).sum()
                pairs += 1
    if pairs == 0:
        return loss
    return loss / pairs


def every_row(x):
    loss = torch.zeros(())
    rows = 0
    for row in x:
        loss = loss + row.abs().mean()
        rows += 1
    return loss / rows


def pairs_apart(x):
    loss = torch.zeros(())
    pairs = 0
    for i in range(len(x)):
        for j in range(len(x)):
            if i != j:
                loss = loss + (x[i] - x[j]).pow(2).sum()
                pairs += 1
    return loss / pairs


def from_one(x, mask):
    total = torch.zeros(())
    count = 1
    for row, m in zip(x, mask):
        if m.sum() > 0:
            total = total + row.sum()
            count += 1
    return total / count


def floored(x, mask):
    total = torch.zeros(())
    count = 0
    for row, m in zip(x, mask):
        if m.sum() > 0:
            total = total + row.sum()
            count += 1
    return total / max(count, 1)


def of_batches(batches):
    loss = torch.zeros(())
    rounds = 0
    for batch in batches:
        if batch.shape[0] < 2 or len(batch[0]) == 0:
            continue
        loss = loss + batch.std(0).sum()
        rounds += 1
    return loss / rounds
