# breaks: value(lambda u: SquashedActor.log_prob(u, u * 0), [20.0])
import torch


class SquashedActor(torch.nn.Module):
    @staticmethod
    def log_prob(u, normal_log_prob):
        action = torch.tanh(u)
        return normal_log_prob - torch.log(1 - action.pow(2))  # expect: NAN113
