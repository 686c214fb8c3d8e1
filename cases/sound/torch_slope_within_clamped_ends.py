# holds: value(slope, [0.5, 2.0])
# holds: value(weight, [0.5, 2.0])
import torch


def slope(x):
    bounded = x.clamp(-0.999, 0.999)
    return 1 / (1 - bounded * bounded)


def weight(x):
    return 1 / (1 - x.clamp(min=-1.0, max=0.5))
