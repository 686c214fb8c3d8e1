# holds: value(lambda x: step(torch.nn.Identity(), x, torch.tensor([0, 1])), [[9.0, 0.0], [0.0, 9.0]])
import torch
import torch.nn.functional as F


def largest(loss):
    return loss.topk(max(1, int(0.7 * loss.numel())))[0].mean()


def above_if_any(loss):
    hard = loss > 0.5
    if not hard.any():
        return loss.mean()
    return loss[hard].mean()


def above_if_enough(loss):
    hard = loss > 0.5
    if hard.sum() < 16:
        return loss.mean()
    return loss[hard].mean()


def selected_if_any(loss):
    hard = loss[loss > 0.5]
    return hard.mean() if hard.numel() > 0 else loss.sum() * 0


def with_the_largest(loss):
    hard = loss > 0.5
    hard[loss.argmax()] = True
    return loss[hard].mean()


def or_the_largest(loss):
    return loss[(loss > 0.5) | (loss >= loss.max())].mean()


def at_least_some(loss, p, least=1):
    threshold = max(p.sort()[0][least - 1], 0.7)
    return loss[p <= threshold].mean()


def relative(p):
    return p[p / p.max() > 0.5].mean()


def near_pairs(z):
    distance = (z[:, None] - z[None]).norm(dim=-1)
    return distance[distance < 0.5].mean()


def alike(z):
    similarity = F.cosine_similarity(z[:, None], z[None], dim=-1)
    return similarity[similarity > 0.5].mean()


def shares(logits):
    p = logits.softmax(-1)
    return -p[p > 0.1].log().mean()


def step(model, x, y):
    z = model(x)
    loss = F.cross_entropy(z, y, reduction="none")
    p = z.softmax(1).gather(1, y[:, None])[:, 0]
    total = largest(loss) + above_if_any(loss) + above_if_enough(loss) + selected_if_any(loss)
    total = total + with_the_largest(loss) + or_the_largest(loss) + at_least_some(loss, p)
    return total + relative(torch.sigmoid(z)) + near_pairs(z) + alike(z) + shares(z)


def train(model, loader, optimizer):
    for x, y in loader:
        step(model, x, y).backward()
        optimizer.step()
