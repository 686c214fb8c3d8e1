# breaks: value(contraction, [0.5, 1.5])
import numpy as np


def contraction(speed):
    return np.sqrt(1.0 - speed**2)  # expect: NAN207 no-fix


def main():
    speeds = np.array([0.5, 1.5])
    for speed, length in zip(speeds, contraction(speeds)):
        print(speed, length)


if __name__ == "__main__":
    main()
