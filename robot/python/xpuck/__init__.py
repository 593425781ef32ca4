"""Drive an Xpuck robot from Python: senses come in, wheel speeds and lamps go out.

Speeds are m/s over the floor, times are seconds of arena time (wall time unless a virtual arena runs faster). A command
holds for a quarter of a second, so `drive` is called for all senses that come. The protocol is in docs/controllers.md.
"""

import collections
import glob
import json
import os
import socket
import tempfile

__all__ = ["Robot", "Refused", "Swarm", "connect", "find"]

PROTOCOL = 1
_LONGEST_LINE = 1 << 20


class Refused(Exception):
    """The robot does not do what was asked; the text says why."""


def find(robot):
    """The socket of a robot: a path as it is, else /run/xpuck/ROBOT.sock or that of the one demo that runs here.

    If several demos have such a robot, nobody can know which is meant: `OSError` names their sockets.
    """
    if os.sep in robot:
        return robot
    own = "/run/xpuck/%s.sock" % robot
    if os.path.exists(own):
        return own
    demos = glob.glob(os.path.join(glob.escape(tempfile.gettempdir()), "xpuck-*", robot + ".sock"))
    alive = sorted(filter(_answers, demos))
    if len(alive) > 1:
        raise OSError("%d demos here have a robot %s; name its socket: %s" % (len(alive), robot, " or ".join(alive)))
    if alive:
        return alive[0]
    raise FileNotFoundError(
        "no socket of robot %s: start `xpuck demo`, or give its file `[external] socket = ...` and name that path" % robot
    )


def _answers(place):
    """Whether a program listens at a socket: one that was killed leaves its socket behind."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(place)
        except OSError:
            return False
    return True


def connect(robot, name=None, rate=10.0, take=True):
    """Connects to a robot by its id or the path of its socket.

    `name` is shown in logs (the script's name without it), `rate` says how often senses come (0.1 to 50 a second of arena
    time), and with `take=False` the program only reads senses. Raises `Refused`, `OSError`.
    """
    import __main__

    script = os.path.basename(getattr(__main__, "__file__", None) or "python")
    return Robot(find(robot), name or script[:32], rate, take)


class Robot:
    """A robot that is connected. Iterating gives its senses, the newest each time; leaving a `with` gives the wheels back."""

    def __init__(self, path, name, rate=10.0, take=True, patience=10.0):
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(patience)
        self._bytes = b""
        self._senses = None
        #: What controllers of other robots said, oldest first, as (number, text); taken with `heard.popleft()`.
        self.heard = collections.deque(maxlen=256)
        #: The last thing that was refused without raising, such as driving while the swarm is paused.
        self.refused = None
        try:
            self._connect(path)
            self._say(do="hello", protocol=PROTOCOL, name=name, rate=rate)
            #: The robot's id, arena time over wall time, fastest wheels in m/s, and how long a command holds in s.
            self.about = self._until("hello")
            if take:
                self.take()
        except BaseException:
            self._socket.close()
            raise

    def _connect(self, path):
        try:
            self._socket.connect(path)
        except OSError as error:
            error.filename = path
            raise

    def take(self):
        """Takes the wheels from the tree. Raises `Refused` if another program has them."""
        self._say(do="take")
        self._until("taken")

    def release(self):
        """Gives the wheels back to the tree."""
        self._say(do="release")
        self._until("released")

    def drive(self, left, right, lamps=None):
        """Turns the wheels at these speeds, m/s, for a quarter of a second; `lamps` is
        (red, green, blue), 0 to 255 each, or fifteen of these: lamp i is i x 24 degrees to the left of ahead.

        Faster than the robot can is cut to what it can, for both wheels alike. Speeds that are no numbers raise `ValueError`.
        """
        wheels = [float(left), float(right)]
        if not all(abs(speed) < 1e6 for speed in wheels):
            raise ValueError("wheel speeds of %s and %s m/s" % (left, right))
        over = max(abs(speed) for speed in wheels) / self.about["max_speed"]
        if over > 1.0:
            wheels = [speed / over for speed in wheels]
        of = self._senses["n"] if self._senses else None
        self._say(do="drive", wheels=wheels, lamps=list(lamps) if lamps else None, of=of)

    def say(self, to, text):
        """Tells the controller of another robot in range something: its number as `neighbours` has it, at most 64 bytes.

        It may get lost. What is not said, such as to a robot that is out of range, is in `refused`.
        """
        self._say(do="say", to=to, text=text)

    def stats(self):
        """How quick this program is: round trips from senses to command, us of wall time, as a dictionary."""
        self._say(do="stats")
        return self._until("stats")

    def senses(self):
        """Waits for the next senses and gives the newest, a dictionary."""
        message = self._next()
        while message["is"] != "senses" or b"\n" in self._bytes:
            self._note(message)
            message = self._next()
        self._note(message)
        return message

    def close(self):
        """Gives the wheels back and ends the connection."""
        try:
            self._say(do="release")
            self._until("released")
        except (OSError, Refused):
            pass
        self._socket.close()

    def __iter__(self):
        while True:
            yield self.senses()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()

    def _say(self, **message):
        self._socket.sendall(json.dumps(message, allow_nan=False).encode() + b"\n")

    def _next(self):
        while b"\n" not in self._bytes:
            try:
                more = self._socket.recv(65536)
            except socket.timeout:
                raise TimeoutError("the robot said nothing for %s s" % self._socket.gettimeout()) from None
            if not more or len(self._bytes) > _LONGEST_LINE:
                raise ConnectionError("the robot's program has ended the connection: %s" % (self.refused or "its log tells"))
            self._bytes += more
        line, self._bytes = self._bytes.split(b"\n", 1)
        return json.loads(line)

    def _note(self, message):
        if message["is"] == "senses":
            self._senses = message
        elif message["is"] == "refused":
            self.refused = message["why"]
        elif message["is"] == "heard":
            self.heard.append((message["from"], message["text"]))

    def _until(self, kind):
        while True:
            message = self._next()
            if message["is"] == kind:
                return message
            if message["is"] == "refused" and not message["why"].startswith("the robot's state is"):
                raise Refused(message["why"])
            self._note(message)


class Swarm:
    """All robots through the hub, by `xpuck robot drive --pipe`: iterating gives how they stand, `drive` drives one of them.

    `command` starts the tool and may name a hub and a key, such as `["xpuck", "drive", "--pipe", "--hub", ...]`.
    """

    def __init__(self, command=("xpuck", "drive", "--pipe")):
        import subprocess

        self._tool = subprocess.Popen(list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        #: The last command that the hub refused: (robot, why).
        self.refused = None

    def drive(self, robot, left, right, lamps=None):
        """Turns a robot's wheels at these speeds, m/s, for a quarter of a second."""
        message = {"do": "drive", "robot": robot, "wheels": [left, right]}
        if lamps:
            message["lamps"] = list(lamps)
        self._tool.stdin.write(json.dumps(message, allow_nan=False) + "\n")
        self._tool.stdin.flush()

    def close(self):
        """Ends the tool; the wheels stand."""
        try:
            self._tool.stdin.close()
        except OSError:
            pass
        self._tool.stdout.close()
        self._tool.wait()

    def __iter__(self):
        for line in self._tool.stdout:
            message = json.loads(line)
            if message["is"] == "swarm":
                yield message
            else:
                self.refused = (message["robot"], message["why"])
        raise ConnectionError("`xpuck robot drive --pipe` has ended")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
