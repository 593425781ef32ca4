"""An e-puck in Webots that runs a tree of `trees.py`. Arguments: the tree, the robot's number, the seed and the run."""

import math
import sys

import trees
from controller import Robot
from xpuck_tree import ATTR, CELLS, GROUND, NEIGHBOURS, PROX, RED, UP, Draws, Mind, steer

PERIOD_MS = 100
WHEEL_RADIUS_M = 0.02
FASTEST_WHEEL_RAD_S = 6.28
RANGE_M, LEAST_M = 0.03, 0.075
NEIGHBOUR_RANGE_M = 0.5
RAYS_RAD = [0.297, 0.855, 1.571, 2.618, -2.618, -1.571, -0.855, -0.297]
SEGMENT_RAD = math.radians(18.7)
FIELD_OF_VIEW_RAD = math.radians(56)
# Ground sensors of the PROTO: readings at distance 0 and at the end of the range, this range, and their height [m].
GROUND_TOP, GROUND_BOTTOM, GROUND_RANGE_M, GROUND_HEIGHT_M = 1000.0, 300.0, 0.016, 0.0032
# Readings of the proximity sensors of the E-puck PROTO at these distances [m] (its lookup table, without noise).
NEAR = [(0.0, 4095.0), (0.005, 2133.33), (0.01, 1465.73), (0.015, 601.46), (0.02, 383.84), (0.03, 234.93)]


def distance(answer):
    """Returns the distance for the reading of a proximity sensor [m]; its range if it detects nothing."""
    for (near, high), (far, low) in zip(NEAR, NEAR[1:]):
        if answer >= low:
            return near if answer >= high else near + (far - near) * (high - answer) / (high - low)
    return RANGE_M


def proximity(answers):
    """Returns v_prox: 1 at the rim, 0 at the end of the range, along each ray."""
    readings = [1.0 - distance(answer) / RANGE_M for answer in answers]
    # The PROTO numbers its sensors clockwise, beginning right of the front; ours are counter-clockwise from the left.
    pairs = list(zip(reversed(readings), RAYS_RAD))
    return [sum(r * math.cos(a) for r, a in pairs), sum(r * math.sin(a) for r, a in pairs)]


def ground(answer):
    """Returns s_ground for the reading of a ground sensor: -1 black, 0 grey, 1 white."""
    # The sensor reads the distance divided by 0.2 + 0.8 times the brightness.
    far = (GROUND_TOP - answer) * GROUND_RANGE_M / (GROUND_TOP - GROUND_BOTTOM)
    brightness = (GROUND_HEIGHT_M / max(far, 1e-6) - 0.2) / 0.8
    return -1.0 if brightness < 0.25 else 1.0 if brightness > 0.75 else 0.0


def colours(picture, width, height):
    """Returns v_red, v_green and v_blue, from the colours in the left, middle and right third of the image."""
    seen = [[False] * 3 for _ in range(3)]
    for pixel in range(width * height):
        column = pixel % width
        blue, green, red = picture[4 * pixel : 4 * pixel + 3]
        for colour, (own, one, other) in enumerate([(red, green, blue), (green, red, blue), (blue, red, green)]):
            if own > 60 and own > 2 * one and own > 2 * other:
                seen[colour][3 * column // width] = True
    vectors = []
    for left, middle, right in seen:
        vectors += [(left + right) * math.cos(SEGMENT_RAD) + middle, (left - right) * math.sin(SEGMENT_RAD)]
    return vectors


def neighbours(receiver):
    """Returns v_attr and s_n from the messages of this step."""
    x = y = count = 0.0
    while receiver.getQueueLength() > 0:
        ahead, left, _ = receiver.getEmitterDirection()
        far = 1.0 / math.sqrt(receiver.getSignalStrength())
        if 0.0 < far <= NEIGHBOUR_RANGE_M:
            x, y, count = x + ahead * LEAST_M / far, y + left * LEAST_M / far, count + 1.0
        receiver.nextPacket()
    return [x, y, count] if count else [1.0, 0.0, 0.0]


def main():
    tree, number, seed, run = (int(argument) for argument in sys.argv[1:5])
    robot = Robot()
    rays = [robot.getDevice(f"ps{i}") for i in range(8)]
    camera, compass = robot.getDevice("camera"), robot.getDevice("compass")
    emitter, receiver = robot.getDevice("emitter"), robot.getDevice("receiver")
    floor = robot.getDevice("gs1")  # The middle one of three.
    for device in [*rays, compass, receiver, floor]:
        device.enable(PERIOD_MS)
    camera.enable(2 * PERIOD_MS)
    wheels = [robot.getDevice(f"{side} wheel motor") for side in ("left", "right")]
    for wheel in wheels:
        wheel.setPosition(math.inf)
        wheel.setVelocity(0.0)
    mind, sensed, update = Mind(trees.TREES[tree]), [0.0] * CELLS, 0
    sensed[ATTR] = 1.0
    while robot.step(PERIOD_MS) != -1:
        sensed[PROX : PROX + 2] = proximity([ray.getValue() for ray in rays])
        # The compass points north, which is +y of the world; v_up points to +x.
        north = compass.getValues()
        sensed[UP : UP + 2] = [north[1], -north[0]]
        sensed[GROUND] = ground(floor.getValue())
        heard = neighbours(receiver)
        if update % 2 == 0:
            sensed[ATTR : ATTR + 2], sensed[NEIGHBOURS] = heard[:2], heard[2]
            picture = camera.getImage()
            if picture:
                sensed[RED : RED + 6] = colours(picture, camera.getWidth(), camera.getHeight())
        emitter.send(b"x")
        mind.tick(sensed, Draws(seed, run, number, update))
        for wheel, speed in zip(wheels, steer(mind.goal())):
            wheel.setVelocity(max(-FASTEST_WHEEL_RAD_S, min(FASTEST_WHEEL_RAD_S, speed / WHEEL_RADIUS_M)))
        update += 1


if __name__ == "__main__":
    main()
