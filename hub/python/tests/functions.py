"""World and functions for tests of fitness in Python."""

import numpy as np

#: World whose task is the share of the robots at home at the end.
HOMING = """
robots = 6
[task]
kind = "objective"
score = "last(n(home)) / N"
worst = 0
best = 1
[[region]]
name = "home"
disc = { at_m = [0.3, 0.2], radius_m = 0.4 }
[[start]]
x_m = [-0.8, 0.8]
y_m = [-0.6, 0.6]
"""


def at_home(robots):
    """Returns for each robot and time whether the robot is at home."""
    x, y = robots[..., 0] - np.float32(0.3), robots[..., 1] - np.float32(0.2)
    return np.sqrt(x * x + y * y) <= np.float32(0.4)


def homing(robots):
    """Returns the fitness of `HOMING`."""
    return at_home(robots[:, -1]).sum(1).astype(np.float32) / np.float32(robots.shape[2])


def nan(robots):
    return np.full(len(robots), np.nan)


def huge(robots):
    return np.full(len(robots), 1e39)


def short(robots):
    return np.zeros(len(robots) - 1)


def column(robots):
    return np.zeros((len(robots), 1))


def words(robots):
    return ["good"] * len(robots)


def ragged(robots):
    return [[1]] * (len(robots) - 1) + [[1, 2]]


def number(robots):
    return 1.0


def nothing(robots):
    return None


def division(robots):
    return [1 // 0 for _ in robots]


#: Functions whose results are rejected, with the exception and a part of its message.
WRONG = [
    (nan, ValueError, r"function nan returned nan for \w+ 0 of \d+; it must return finite"),
    (huge, ValueError, r"returned 1e\+39 for"),
    (short, ValueError, r"returned the shape \(\d+,\), expected an array \(\d+,\) with one number for each"),
    (column, ValueError, r"returned the shape \(\d+, 1\), expected"),
    (words, TypeError, "returned a list, expected"),
    (ragged, TypeError, "returned a list, expected"),
    (number, ValueError, r"returned the shape \(\), expected"),
    (nothing, TypeError, "returned a NoneType, expected"),
    (division, RuntimeError, "function division raised ZeroDivisionError: integer"),
]
