# breaks: value(lambda x: autocorrelation(x, 3), [[0.0, 0.0, 0.0, 0.0]])
# breaks: value(lambda x: of_frames(x, 2), [[0.0, 0.0, 0.0, 0.0]])
import torch


def autocorrelation(x, order):
    centred = x - x.mean(dim=-1, keepdim=True)
    spectrum = torch.fft.rfft(centred, n=2 * x.size(-1))
    r = torch.fft.irfft(spectrum * spectrum.conj())[..., : order + 1]
    return r / r[..., :1]  # expect: NAN309 no-fix


def of_frames(x, order):
    power = torch.fft.rfft(x, n=2 * x.size(-1)).abs() ** 2
    r = torch.fft.irfft(power)[..., : order + 1]
    return r / r[..., :1]  # expect: NAN309 no-fix
