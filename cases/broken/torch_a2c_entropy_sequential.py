# breaks: gradient(entropy_bonus, [[200.0, 0.0]])
import torch
import torch.nn as nn


class ActorCritic(nn.Module):
    def __init__(self, n_obs, n_actions):
        super().__init__()
        self.actor = nn.Sequential(
            nn.Linear(n_obs, 64), nn.Tanh(), nn.Linear(64, n_actions), nn.Softmax(dim=-1)
        )
        self.critic = nn.Linear(n_obs, 1)

    def forward(self, x):
        return self.actor(x), self.critic(x)


def entropy_bonus(logits):
    probs = torch.softmax(logits, -1)
    return -(probs * probs.log()).sum(-1).mean()  # expect: NAN101


def a2c_loss(model, obs, actions, returns):
    probs, values = model(obs)
    advantages = returns - values.squeeze(-1)
    logp = torch.log(probs.gather(1, actions.unsqueeze(1))).squeeze(1)
    return -(logp * advantages.detach()).mean() + advantages.pow(2).mean()


def train_once(obs, actions, returns):
    model = ActorCritic(4, 2)
    probs, values = model(obs)
    logp = torch.log(probs.gather(1, actions.unsqueeze(1)))  # expect: NAN101 no-fix
    (-logp * (returns - values)).mean().backward()
