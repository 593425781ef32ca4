"""Reads a motion-capture server with the third-party clients of the `motioncapture` wheel.

    mocap-oracle.py vicon|vrpn|optitrack HOST[:PORT] BODIES [KEY=VALUE...]

The wheel's NatNet client, optitrack, takes the port as port_command and the interface that it listens on as interface_ip;
it hears multicast groups only, so nothing comes to it from a server that sends to each client alone.

Prints one JSON object once BODIES bodies are seen: name -> [x, y, z (m), qx, qy, qz, qw].
"""

import json
import signal
import sys

import motioncapture

LIMIT_S = 60


def main():
    kind, host, bodies = sys.argv[1], sys.argv[2], int(sys.argv[3])
    # The clients wait without a limit of their own.
    signal.alarm(LIMIT_S)
    options = dict(option.split("=", 1) for option in sys.argv[4:])
    capture = motioncapture.connect(kind, {"hostname": host} | options)
    seen = {}
    while len(seen) < bodies:
        capture.waitForNextFrame()
        seen = capture.rigidBodies
    turn = lambda r: [r.x, r.y, r.z, r.w]
    print(json.dumps({name: [*map(float, body.position), *turn(body.rotation)] for name, body in seen.items()}))


main()
