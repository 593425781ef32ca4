"""Drives a robot with the arrow keys, in a terminal. The space bar stops the wheels, q ends the program.

    python3 keys.py xp01
"""

import os
import select
import sys
import termios
import tty

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import xpuck

KEYS = {"\x1b[A": (0.08, 0.08), "\x1b[B": (-0.08, -0.08), "\x1b[D": (-0.04, 0.04), "\x1b[C": (0.04, -0.04), " ": (0, 0)}


def pressed():
    """Returns the keys pressed since the last call; empty if no key was pressed."""
    keys = ""
    while select.select([sys.stdin], [], [], 0)[0]:
        keys += sys.stdin.read(1)
    return keys


def main():
    if not sys.stdin.isatty():
        sys.exit("keys: needs a terminal, whose keys it reads")
    before = termios.tcgetattr(sys.stdin)
    tty.setcbreak(sys.stdin)
    try:
        with xpuck.connect(sys.argv[1] if len(sys.argv) > 1 else "xp01", rate=20) as robot:
            wheels, since = (0, 0), 0.0
            for senses in robot:
                keys = pressed()
                if keys.endswith("q"):
                    break
                for key, speeds in KEYS.items():
                    if keys.endswith(key):
                        wheels, since = speeds, senses["time"]
                # A key that is held down repeats; the wheels stop half a second after the last key.
                robot.drive(*(wheels if senses["time"] - since < 0.5 else (0, 0)))
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)


try:
    main()
except KeyboardInterrupt:
    pass
except (OSError, xpuck.Refused) as error:
    sys.exit("keys: %s" % error)
