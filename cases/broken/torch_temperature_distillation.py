# breaks: gradient(distill, [[300.0, 0.0]], [[300.0, 0.0]])
import torch


def distill(student, teacher, T=2.0):
    soft_targets = torch.softmax(teacher / T, dim=1)
    soft_prob = torch.softmax(student / T, dim=1)
    log_q = torch.log(soft_prob)  # expect: NAN101
    log_p = soft_targets.log()  # expect: NAN101
    return torch.sum(soft_targets * (log_p - log_q)) / student.size(0)
