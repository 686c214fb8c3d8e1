import torch


def attend(scores, mask, fill=-1e9):
    scores = scores.half().masked_fill(mask, fill)  # expect: NAN503 possible
    return torch.softmax(scores, dim=-1)
