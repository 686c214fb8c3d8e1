# breaks: gradient(edges, [[0.0, 0.0], [0.0, 0.0]])
import torch


def edges(img):
    gx = img[:, 1:] - img[:, :-1]
    gy = img[1:, :] - img[:-1, :]
    return torch.sqrt(gx[:-1] ** 2 + gy[:, :-1] ** 2).mean()  # expect: NAN203


def smoothness_step(img, optimizer):
    loss = edges(img)
    loss.backward()
    optimizer.step()
