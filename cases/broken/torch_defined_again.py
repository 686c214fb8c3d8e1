# breaks: value(mean_of_kept, [1.0], [0.0]), value(mean_of_known, [1.0], [0.0])
import torch


def mean_of_kept(x, mask):
    return (x * mask).sum() / mask.sum()  # expect: NAN301 unsafe


mean_of_all = mean_of_kept


def mean_of_known(x, mask):
    return (x * mask).sum() / mask.sum()  # expect: NAN301 unsafe


if torch.cuda.is_available():

    def mean_of_known(x, mask):
        return (x * mask).sum() / mask.sum()  # expect: NAN301 unsafe
