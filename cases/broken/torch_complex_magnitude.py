# breaks: gradient(lambda x: magnitude(x).sum(), [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])
import torch


def magnitude(x):
    s = torch.fft.rfft(x)
    return torch.sqrt(s.real ** 2 + s.imag ** 2)  # expect: NAN203
