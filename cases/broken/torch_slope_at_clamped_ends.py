# breaks: value(slope, [0.5, 2.0])
import torch


def slope(x):
    bounded = x.clamp(-1.0, 1.0)
    return 1 / (1 - bounded * bounded)  # expect: NAN309 no-fix
