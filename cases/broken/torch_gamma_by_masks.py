# breaks: gradient(loss, [0.0, 0.5])
import torch


def to_srgb(linear):
    above = (linear > 0.0031308).to(linear.dtype)
    below = (linear <= 0.0031308).to(linear.dtype)
    return above * (1.055 * linear ** (1 / 2.4) - 0.055) + below * 12.92 * linear  # expect: NAN404


def loss(linear):
    return (to_srgb(linear) - 0.5).square().mean()
