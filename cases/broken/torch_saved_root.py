# breaks: gradient(lambda x: Root.apply(x), [0.0, 4.0])
import torch


class Root(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        root = x.clamp(min=0).sqrt()
        ctx.save_for_backward(root)
        return root

    @staticmethod
    def backward(ctx, gradient):
        (root,) = ctx.saved_tensors
        return gradient / (2 * root)  # expect: NAN309 no-fix


def train(model, optimizer, batches):
    for x in batches:
        loss = Root.apply(model(x)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
