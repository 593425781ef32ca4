#!/usr/bin/env python3
"""Crowds a world simulator: so many connections at once beside one simulator that works.

xpuck serve world-sim --port 7795, then python3 tools/compare/crowd.py 7795 10000 (after `ulimit -n 12000`).
Prints how many connections the server ended in 90 s, and how long the slowest answer took before and meanwhile.
"""

import selectors
import socket
import sys
import threading
import time

SECONDS = 90
PORT, COUNT = int(sys.argv[1]), int(sys.argv[2])


class Worker(threading.Thread):
    """Moves its robot about a hundred times a second."""

    def __init__(self):
        super().__init__(daemon=True)
        self.stream = socket.create_connection(("127.0.0.1", PORT), timeout=20)
        self.stream.sendall(b"CreateRobot\r\n")
        self.stream.recv(1000)
        self.slowest, self.answers = 0.0, 0

    def run(self):
        while True:
            asked = time.monotonic()
            self.stream.sendall(b"MoveTo 1 0 0 0\r\n")
            if not self.stream.recv(1000):
                sys.exit("the server ended the simulator that works")
            self.slowest = max(self.slowest, time.monotonic() - asked)
            self.answers += 1
            time.sleep(0.01)

    def told(self):
        text = f"{self.answers} answers, the slowest after {1000 * self.slowest:.1f} ms"
        self.slowest, self.answers = 0.0, 0
        return text


worker = Worker()
worker.start()
time.sleep(1)
print("before:", worker.told())
crowd = selectors.DefaultSelector()
began = time.monotonic()
for _ in range(COUNT):
    stream = socket.socket()
    stream.setblocking(False)
    stream.connect_ex(("127.0.0.1", PORT))
    crowd.register(stream, selectors.EVENT_READ)
ended = 0
while time.monotonic() - began < SECONDS:
    for key, _ in crowd.select(0.2):
        try:
            gone = not key.fileobj.recv(1000)
        except OSError:
            gone = True
        if gone:
            ended += 1
            crowd.unregister(key.fileobj)
            key.fileobj.close()
print(f"{COUNT} connections, {ended} ended by the server in {SECONDS} s")
print("meanwhile:", worker.told())
