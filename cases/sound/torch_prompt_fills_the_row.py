# holds: value(lambda x: fine_tuning_loss(x, torch.tensor([[3, 1]]), torch.tensor([2])), [[[0.1, 0.2, 0.3, 0.4], [0.4, 0.3, 0.2, 0.1]]])
import torch
import torch.nn.functional as F


def fine_tuning_loss(logits, tokens, prompt_lengths):
    positions = torch.arange(tokens.shape[1])
    is_prompt = positions[None, :] < prompt_lengths[:, None]
    labels = tokens.masked_fill(is_prompt, -100)
    total = F.cross_entropy(logits.reshape(-1, logits.shape[-1]), labels.reshape(-1), reduction="sum")
    return total / (labels != -100).sum().clamp(min=1)
