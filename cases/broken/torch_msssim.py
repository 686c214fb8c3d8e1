# breaks: gradient(msssim, [[[[0.0, 1.0], [1.0, 0.0]]]], [[[[1.0, 0.0], [0.0, 1.0]]]])
import torch
import torch.nn.functional as F


def ssim(x, y, window=2):
    C1, C2 = 0.01**2, 0.03**2
    mu_x = F.avg_pool2d(x, window, 1)
    mu_y = F.avg_pool2d(y, window, 1)
    sigma_x = F.avg_pool2d(x * x, window, 1) - mu_x**2
    sigma_y = F.avg_pool2d(y * y, window, 1) - mu_y**2
    sigma_xy = F.avg_pool2d(x * y, window, 1) - mu_x * mu_y
    cs = (2 * sigma_xy + C2) / (sigma_x + sigma_y + C2)
    luminance = (2 * mu_x * mu_y + C1) / (mu_x**2 + mu_y**2 + C1)
    return (luminance * cs).mean(), cs.mean()


def msssim(x, y):
    weights = torch.tensor([0.3, 0.7])
    mssim, mcs = [], []
    for _ in range(2):
        sim, cs = ssim(x, y)
        mssim.append(sim)
        mcs.append(cs)
    mssim = torch.stack(mssim)
    mcs = torch.stack(mcs)
    pow1 = mcs**weights  # expect: NAN207 no-fix
    pow2 = mssim**weights  # expect: NAN207 no-fix
    return torch.prod(pow1[:-1] * pow2[-1])
