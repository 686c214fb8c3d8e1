# holds: gradient(lambda q: td_loss(q, torch.ones(1), torch.zeros(1), torch.tensor([[0]])), [[0.0, 1.0]])
import torch
import torch.nn.functional as F


def td_loss(q, rewards, done, actions, gamma=0.99):
    chosen = q.gather(1, actions).squeeze(1)
    target = rewards + gamma * q.max(1)[0].detach() * (1 - done)
    return F.smooth_l1_loss(chosen, target)


def soft_update(target, online, tau=0.005):
    for t, p in zip(target.parameters(), online.parameters()):
        t.data.copy_(tau * p.data + (1 - tau) * t.data)
