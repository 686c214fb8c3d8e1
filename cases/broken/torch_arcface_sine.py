# breaks: gradient(arc_margin, [[1.0, 0.5]])
import torch


def arc_margin(cosine, cos_m=0.8776, sin_m=0.4794):
    cosine = cosine.clamp(-1, 1)
    sine = torch.sqrt(1.0 - torch.pow(cosine, 2))  # expect: NAN203 unsafe
    return cosine * cos_m - sine * sin_m
