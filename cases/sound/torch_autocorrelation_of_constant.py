# holds: value(lambda x: autocorrelation(x, 3), [[0.0, 0.0, 0.0, 0.0]])
# holds: value(lambda x: of_frames(x, 2), [[0.0, 0.0, 0.0, 0.0]])
# holds: value(lambda x: biased(x, 2), [[0.0, 0.0, 0.0, 0.0]])
# holds: value(relative, [[1.0, 2.0]])
import torch


def autocorrelation(x, order):
    centred = x - x.mean(dim=-1, keepdim=True)
    spectrum = torch.fft.rfft(centred, n=2 * x.size(-1))
    r = torch.fft.irfft(spectrum * spectrum.conj())[..., : order + 1]
    variance = r[..., :1]
    return torch.where(variance > 0, r / variance.clamp(min=1e-30), torch.ones_like(r))


def of_frames(x, order):
    power = torch.fft.rfft(x, n=2 * x.size(-1)).abs() ** 2
    r = torch.fft.irfft(power + 1e-9)[..., : order + 1]
    return r / (r[..., :1] + 1e-9)


def biased(x, order):
    power = torch.fft.rfft(x, n=2 * x.size(-1)).abs() ** 2
    return torch.fft.irfft(power)[..., : order + 1] / x.size(-1)


def relative(x):
    return x / x[..., :1]
