# holds: value(information, [0.25, 0.75])
import numpy as np


def information(shares):
    return -np.log2(shares)


if __name__ == "__main__":
    print(information(np.array([0.25, 0.75])))
