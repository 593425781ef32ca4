"""Drives all robots of a swarm in small circles, through the hub. Ends with Ctrl-C, or after SECONDS.

    python3 circle.py [SECONDS] [COMMAND...]

COMMAND starts the tool (default: `xpuck robot drive --pipe`).
"""

import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import xpuck


def main():
    seconds = float(sys.argv[1]) if len(sys.argv) > 1 else float("inf")
    with xpuck.Swarm(sys.argv[2:] or ("xpuck", "robot", "drive", "--pipe", "--rate", "20")) as swarm:
        start = None
        for now in swarm:
            start = now["time"] if start is None else start
            if now["time"] - start > seconds:
                break
            for robot in now["robots"]:
                if robot["alive"] and not robot["held"]:
                    swarm.drive(robot["id"], 0.03, 0.06, lamps=(40, 0, 40))
        seen = sum(robot["pose"] is not None for robot in now["robots"])
        print("%d robots, %d of them seen; refused: %s" % (len(now["robots"]), seen, swarm.refused))


try:
    main()
except KeyboardInterrupt:
    pass
except OSError as error:
    sys.exit("circle: %s" % error)
