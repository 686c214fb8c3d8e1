# breaks: value(normalise, [2.0, 2.0, 2.0])
import torch


def normalise(advantages):
    return (advantages - advantages.mean()) / advantages.std()  # expect: NAN304 unsafe


def ppo_loss(logp, old_logp, advantages, clip=0.2):
    adv = normalise(advantages)
    ratio = torch.exp(torch.clamp(logp - old_logp, -20, 20))
    surrogate = torch.min(ratio * adv, ratio.clamp(1 - clip, 1 + clip) * adv)
    return -surrogate.mean()
