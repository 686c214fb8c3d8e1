# breaks: value(lambda x: on_one_path(x, True), [[-200.0]])
# breaks: value(lambda x: normalized(x, True), [[-200.0]])
import torch


def on_one_path(x, is_binary):
    if is_binary:
        p = torch.sigmoid(x).squeeze(-1)
    else:
        p = x.abs() + 1
    return torch.log(p)  # expect: NAN102 no-fix


def normalized(x, is_binary):
    if is_binary:
        p = torch.sigmoid(x)[:, 0]
    else:
        p = torch.softmax(x, -1)[:, 1]
    return torch.log(p)  # expect: NAN101 no-fix
