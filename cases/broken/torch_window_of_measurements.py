# breaks: gradient(framed, [[1.0, 2.0, 3.0, 2.0]], [0.5])
# breaks: gradient(levelled, [[1.0, 2.0, 3.0, 2.0]], [0.5])
import torch


def near(x, width):
    window = 0.5 + 0.5 * torch.cos(x / width)
    window = window * torch.logical_and(-width <= x, x <= width)
    return window


def framed(x, width):
    window = near(x, width)
    window = window / torch.linalg.vector_norm(window, dim=-1, keepdim=True)  # expect: NAN303 unsafe
    return x * window


def levelled(x, width):
    window = near(x, width)
    weighed = x * window
    total = window.sum(dim=-1, keepdim=True)
    mean = weighed.sum(dim=-1, keepdim=True) / total  # expect: NAN302 unsafe
    return weighed - window * mean


def train(model, batches):
    optimizer = torch.optim.Adam(model.parameters())
    for x, width in batches:
        loss = framed(model(x), width).square().sum() + levelled(model(x), width).square().sum()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
