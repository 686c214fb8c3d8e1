# breaks: gradient(entropy_bonus, [[200.0, 0.0]])
import torch


def entropy_bonus(logits):
    pi = torch.softmax(logits, dim=-1)
    return -(pi * torch.log(pi)).sum(-1).mean()  # expect: NAN101


def loss(policy_loss, value_loss, logits):
    total = policy_loss + 0.5 * value_loss - 0.01 * entropy_bonus(logits)
    total.backward()
    return total
