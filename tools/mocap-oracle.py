"""Reads a motion-capture server with the third-party clients of the `motioncapture` wheel.

    mocap-oracle.py vicon|vrpn HOST:PORT BODIES

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
    capture = motioncapture.connect(kind, {"hostname": host})
    seen = {}
    while len(seen) < bodies:
        capture.waitForNextFrame()
        seen = capture.rigidBodies
    turn = lambda r: [r.x, r.y, r.z, r.w]
    print(json.dumps({name: [*map(float, body.position), *turn(body.rotation)] for name, body in seen.items()}))


main()
