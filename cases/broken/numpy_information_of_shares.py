# breaks: value(information, [0.0, 0.25, 0.75])
import numpy as np


def information(shares):
    return -np.log2(shares)  # expect: NAN201 no-fix


if __name__ == "__main__":
    print(information(np.array([0.0, 0.25, 0.75])))
