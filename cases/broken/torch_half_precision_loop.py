# breaks: value(train, [300.0, 300.0])
import torch


def train(x):
    weight = torch.nn.Parameter(torch.ones(2))
    optimizer = torch.optim.SGD([weight], lr=0.1)
    for _ in range(2):
        optimizer.zero_grad()
        with torch.autocast("cpu", dtype=torch.float16):
            prediction = torch.matmul(x[None, :] * 300, weight[:, None])
            loss = prediction.sum()
        loss.backward()
        torch.nn.utils.clip_grad_norm_([weight], 1.0)  # expect: NAN701 unsafe
        optimizer.step()
    return weight.detach()
