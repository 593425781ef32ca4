"""Drives an Xpuck robot from Python: receives senses, sends wheel speeds and lamp colours.

Speeds are over the floor (m/s). Times are in arena time (s), which is wall time unless a virtual arena runs faster. A
command is valid for a quarter of a second, so call `drive` for each message of senses. docs/controllers.md describes the
protocol.
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
    """The robot rejected a request; the text is the reason."""


def find(robot):
    """Returns the path of a robot's socket. A path is returned unchanged; for an id, the path is /run/xpuck/ROBOT.sock or
    the socket in a demo that runs on this computer.

    Raises `OSError` with the paths of the sockets if several demos have the robot.
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
    """Whether a program listens at a socket. A killed program leaves its socket file."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_STREAM) as probe:
        try:
            probe.connect(place)
        except OSError:
            return False
    return True


def connect(robot, name=None, rate=10.0, take=True):
    """Connects to a robot by its id or the path of its socket.

    `name` appears in logs (default: the script's name). `rate` is the rate of senses (1/s of arena time, 0.1 to 50). With
    `take=False` the program only reads senses. Raises `Refused`, `OSError`.
    """
    import __main__

    script = os.path.basename(getattr(__main__, "__file__", None) or "python")
    return Robot(find(robot), name or script[:32], rate, take)


class Robot:
    """A connected robot. An iteration yields its newest senses; the end of a `with` block releases the wheels."""

    def __init__(self, path, name, rate=10.0, take=True, patience=10.0):
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self._socket.settimeout(patience)
        self._bytes = b""
        self._senses = None
        #: Texts from controllers of other robots, the oldest first, as (robot's number, text); take one with `heard.popleft()`.
        self.heard = collections.deque(maxlen=256)
        #: Reason of the last rejection that raised no exception, such as driving while the swarm is paused.
        self.refused = None
        try:
            self._connect(path)
            self._say(do="hello", protocol=PROTOCOL, name=name, rate=rate)
            #: The robot's id, arena time over wall time, maximum wheel speed (m/s), and validity of a command (s).
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
        """Takes control of the wheels from the tree. Raises `Refused` if another program has control."""
        self._say(do="take")
        self._until("taken")

    def release(self):
        """Returns control of the wheels to the tree."""
        self._say(do="release")
        self._until("released")

    def drive(self, left, right, lamps=None):
        """Turns the wheels at these speeds (m/s) for a quarter of a second. `lamps` is (red, green, blue), 0 to 255 each, or a
        list of fifteen colours: lamp i is i x 24 degrees to the left of straight ahead.

        If a speed exceeds the robot's maximum, both speeds are reduced by the same factor. Raises `ValueError` for invalid
        speeds.
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
        """Sends a text of at most 64 bytes to the controller of a robot in range; `to` is its number in `neighbours`.

        The text may get lost. If it cannot be sent, for example because the robot is out of range, `refused` has the reason.
        """
        self._say(do="say", to=to, text=text)

    def stats(self):
        """Returns statistics of the time from senses to command (us of wall time), as a dictionary."""
        self._say(do="stats")
        return self._until("stats")

    def senses(self):
        """Waits for the next senses and returns the newest, as a dictionary."""
        message = self._next()
        while message["is"] != "senses" or b"\n" in self._bytes:
            self._note(message)
            message = self._next()
        self._note(message)
        return message

    def close(self):
        """Releases the wheels and ends the connection."""
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
    """All robots of a swarm through the hub, by `xpuck robot drive --pipe`. An iteration yields the state of all robots; `drive`
    drives one robot.

    `command` starts the tool and may contain a hub and a key, such as `["xpuck", "robot", "drive", "--pipe", "--hub", ...]`.
    """

    def __init__(self, command=("xpuck", "robot", "drive", "--pipe")):
        import subprocess

        self._tool = subprocess.Popen(list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        #: The last command that the hub rejected: (robot, reason).
        self.refused = None

    def drive(self, robot, left, right, lamps=None):
        """Turns a robot's wheels at these speeds (m/s) for a quarter of a second."""
        message = {"do": "drive", "robot": robot, "wheels": [left, right]}
        if lamps:
            message["lamps"] = list(lamps)
        self._tool.stdin.write(json.dumps(message, allow_nan=False) + "\n")
        self._tool.stdin.flush()

    def close(self):
        """Ends the tool; the wheels stop."""
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
