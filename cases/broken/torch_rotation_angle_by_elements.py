"""The angle between two rotations: the trace of their quotient by its elements, or in other ways."""

# breaks: gradient(lambda r: by_elements(r, r.detach()), [[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]])
# breaks: gradient(lambda r: by_diagonal(r, r.detach()), [[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]])
# breaks: gradient(lambda r: by_product(r, r.detach()), [[[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]]])
# breaks: gradient(lambda q: of_quaternions(q, q.detach()), [[1.0, 0.0, 0.0, 0.0]])
import torch


def by_elements(predicted, target):
    m = torch.bmm(predicted, target.transpose(1, 2))
    cosine = (m[:, 0, 0] + m[:, 1, 1] + m[:, 2, 2] - 1) / 2
    return torch.acos(cosine).mean()  # expect: NAN208 unsafe


def by_diagonal(predicted, target):
    m = torch.bmm(predicted, target.transpose(1, 2))
    return torch.acos((torch.diagonal(m, dim1=1, dim2=2).sum(-1) - 1) / 2).mean()  # expect: NAN208 unsafe


def by_product(predicted, target):
    return torch.acos(((predicted * target).sum((1, 2)) - 1) * 0.5).mean()  # expect: NAN208 unsafe


def of_quaternions(predicted, target):
    predicted = torch.nn.functional.normalize(predicted, dim=-1)
    return 2 * torch.acos((predicted * target).sum(-1).abs()).mean()  # expect: NAN208 possible


def of_unit_quaternions(predicted, target):
    predicted = torch.nn.functional.normalize(predicted, dim=-1)
    target = torch.nn.functional.normalize(target, dim=-1)
    return torch.acos(2 * (predicted * target).sum(-1) ** 2 - 1).mean()  # expect: NAN208 unsafe


def train(model, loader, optimizer):
    for images, rotations, quaternions in loader:
        loss = by_elements(model(images), rotations) + by_diagonal(model(images), rotations)
        loss = loss + by_product(model(images), rotations) + of_quaternions(model(images), quaternions)
        loss = loss + of_unit_quaternions(model(images), quaternions)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
