"""Converts a robot's senses to ROS quantities. Does not need ROS."""

import math

# Directions of the eight sensors (rad, counterclockwise from ahead) and their range (m) (thesis, Table 6.1).
SENSORS = [0.297, 0.855, 1.571, 2.618, -2.618, -1.571, -0.855, -0.297]
RANGE = 0.03
# Distance between the wheels, and radius of the body (m).
WHEELBASE = 0.053
RADIUS = 0.0375
# A laser scan has evenly spaced rays; each sensor's reading is assigned to the ray nearest to its direction.
RAYS = 72


def wheels(linear, angular, fastest):
    """Wheel speeds (m/s) for a forward velocity (m/s) and a turn rate (rad/s). If the limit is exceeded, both are reduced by the same factor."""
    turn = angular * WHEELBASE / 2
    left, right = linear - turn, linear + turn
    over = max(abs(left), abs(right)) / fastest
    if not math.isfinite(over):
        raise ValueError("a velocity of %s m/s and %s rad/s" % (linear, angular))
    return (left / over, right / over) if over > 1 else (left, right)


def scan(proximity):
    """Ranges from the robot's centre (m) by ray, from -pi on: infinite if nothing is near, NaN without a sensor in that direction."""
    ranges = [math.nan] * RAYS
    for angle, near in zip(SENSORS, proximity):
        ray = round((angle + math.pi) / (2 * math.pi) * RAYS) % RAYS
        ranges[ray] = RADIUS + (1 - near) * RANGE if near > 0 else math.inf
    return ranges


def quaternion(heading):
    """Quaternion (x, y, z, w) of a heading (rad)."""
    return (0.0, 0.0, math.sin(heading / 2), math.cos(heading / 2))


def twist(before, after):
    """Forward velocity (m/s) and turn rate (rad/s) between two senses; zeros if no time passed."""
    seconds = after["time"] - before["time"]
    if seconds <= 0:
        return (0.0, 0.0)
    (x0, y0, h0), (x1, y1, h1) = before["odometry"], after["odometry"]
    ahead = (x1 - x0) * math.cos(h0) + (y1 - y0) * math.sin(h0)
    return (ahead / seconds, (h1 - h0) / seconds)
