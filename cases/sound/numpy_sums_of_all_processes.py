# holds: moments(np.array([1.0, 2.0]), One())
import numpy as np


class One:
    def Allreduce(self, mine, total):
        total[:] = mine


def mean_over(x, comm):
    mine = np.zeros(2)
    mine[0], mine[1] = x.sum(), len(x)
    total = np.zeros_like(mine)
    comm.Allreduce(mine, total)
    return total[0] / total[1]


def moments(x, comm):
    mean = mean_over(x, comm)
    return mean, mean_over(np.square(x - mean), comm)
