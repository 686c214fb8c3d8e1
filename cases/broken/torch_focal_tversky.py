# breaks: gradient(focal_tversky, [[200.0, -200.0]], [[1.0, 0.0]])
import torch


def focal_tversky(logits, target, alpha=0.7, gamma=0.75, smooth=1.0):
    p = torch.sigmoid(logits).view(-1)
    t = target.view(-1)
    tp = (p * t).sum()
    fp = ((1 - t) * p).sum()
    fn = (t * (1 - p)).sum()
    tversky = (tp + smooth) / (tp + alpha * fn + (1 - alpha) * fp + smooth)
    return (1 - tversky) ** gamma  # expect: NAN206 no-fix
