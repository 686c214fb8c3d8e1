"""The logarithm of an overlap: boxes that do not meet have none, whatever they are divided by."""

# breaks: value(lambda b: loss(b, torch.tensor([[0.0, 0.0, 1.0, 1.0]])), [[2.0, 2.0, 3.0, 3.0]])
import torch


def area(boxes):
    return (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])


def loss(boxes, target):
    low = torch.maximum(boxes[:, :2], target[:, :2])
    high = torch.minimum(boxes[:, 2:], target[:, 2:])
    sides = (high - low).clamp(min=0)
    overlap = sides[:, 0] * sides[:, 1]
    iou = overlap / (area(boxes) + area(target) - overlap)  # expect: NAN309 possible
    return -torch.log(iou).mean()  # expect: NAN201 unsafe


def train(model, loader, optimizer):
    for images, target in loader:
        step = loss(model(images), target)
        optimizer.zero_grad()
        step.backward()
        optimizer.step()
