"""What is read after all: in a closure, on another path, between, or through all local variables."""

# breaks: value(between, [[200.0, -200.0]])
# breaks: value(on_a_path, [[200.0, -200.0]])
# breaks: value(lambda x: later(x)(), [[200.0, -200.0]])
# breaks: value(lambda x: everything(x)["logs"], [[200.0, -200.0]])
import torch


def between(scores):
    logs = torch.log(torch.softmax(scores, -1))  # expect: NAN101 safe
    doubled = 2 * logs
    logs = torch.log_softmax(scores, -1)
    return doubled + logs


def on_a_path(scores, again=False):
    logs = torch.log(torch.softmax(scores, -1))  # expect: NAN101 safe
    if again:
        logs = torch.log_softmax(scores, -1)
    return logs


def later(scores):
    logs = torch.log(torch.softmax(scores, -1))  # expect: NAN101 safe

    def read():
        return logs

    return read


def everything(scores):
    logs = torch.log(torch.softmax(scores, -1))  # expect: NAN101 safe
    return locals()
