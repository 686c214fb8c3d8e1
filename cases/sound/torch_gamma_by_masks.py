# holds: gradient(loss, [0.0, 0.5])
import torch


def to_srgb(linear):
    above = (linear > 0.0031308).to(linear.dtype)
    below = (linear <= 0.0031308).to(linear.dtype)
    bright = torch.clamp(linear, min=0.0031308)
    return above * (1.055 * bright ** (1 / 2.4) - 0.055) + below * 12.92 * linear


def loss(linear):
    return (to_srgb(linear) - 0.5).square().mean()
