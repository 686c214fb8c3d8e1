# breaks: value(calibrate, [0.91, 0.95], [1.0, 0.0])
import torch


def calibrate(confidence, correct):
    place = (confidence * 10).long().clamp(max=9)
    return torch.stack([correct[place == k].mean() for k in range(10)])  # expect: NAN307 no-fix
