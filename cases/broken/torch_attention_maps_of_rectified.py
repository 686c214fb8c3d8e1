# breaks: value(lambda x: transfer(x, x), [[[[-1.0, -2.0]]]])
import torch.nn.functional as F


def attention_map(f):
    a = f.pow(2).mean(1).flatten(1)
    return a / a.sum(1, keepdim=True)  # expect: NAN302 unsafe


def transfer(student, teacher):
    return (attention_map(F.relu(student)) - attention_map(teacher)).pow(2).mean()


def train(student, teacher, loader, optimizer):
    for x in loader:
        transfer(student(x), teacher(x)).backward()
        optimizer.step()
