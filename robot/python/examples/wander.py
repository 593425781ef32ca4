"""Drives ahead and turns away from obstacles. Ends with Ctrl-C, or after SECONDS.

    python3 wander.py xp01 [SECONDS]
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import xpuck

# Proximity sensors on the left and on the right side, as indices in the order of Table 6.1 of the thesis.
LEFT = [0, 1, 2, 3]
RIGHT = [4, 5, 6, 7]


def main():
    robot_id = sys.argv[1] if len(sys.argv) > 1 else "xp01"
    seconds = float(sys.argv[2]) if len(sys.argv) > 2 else float("inf")
    with xpuck.connect(robot_id, rate=20) as robot:
        start = None
        for senses in robot:
            start = senses["time"] if start is None else start
            if senses["time"] - start > seconds:
                break
            near = senses["proximity"] or [0.0] * 8
            left, right = (max(near[i] for i in side) for side in (LEFT, RIGHT))
            robot.drive(0.08 * (1 - 2 * right), 0.08 * (1 - 2 * left), lamps=(0, 40, 40))
        print(robot.stats())


try:
    main()
except KeyboardInterrupt:
    pass
except (OSError, xpuck.Refused) as error:
    sys.exit("wander: %s" % error)
