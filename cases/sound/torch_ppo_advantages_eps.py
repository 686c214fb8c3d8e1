# holds: value(ppo_loss, [-1.0, -2.0], [-1.0, -2.0], [2.0, 2.0])
import torch


def ppo_loss(logp, old_logp, advantages, clip=0.2):
    adv = (advantages - advantages.mean()) / (advantages.std() + 1e-8)
    ratio = torch.exp(logp - old_logp)
    surrogate = torch.min(ratio * adv, ratio.clamp(1 - clip, 1 + clip) * adv)
    return -surrogate.mean()
