"""From what a robot tells to what ROS expects, as plain numbers: nothing here needs ROS."""

import math

# Where the eight sensors look, rad counterclockwise from ahead, and how far (thesis, Table 6.1).
SENSORS = [0.297, 0.855, 1.571, 2.618, -2.618, -1.571, -0.855, -0.297]
RANGE = 0.03
# Distance between the wheels and radius of the body, m.
WHEELBASE = 0.053
RADIUS = 0.0375
# A laser scan has evenly spaced rays; each sensor's reading stands at the ray next to where it looks.
RAYS = 72


def wheels(linear, angular, fastest):
    """Wheel speeds, m/s, for a velocity ahead, m/s, and a turn, rad/s; too fast a one is slowed, its curve stays."""
    turn = angular * WHEELBASE / 2
    left, right = linear - turn, linear + turn
    over = max(abs(left), abs(right)) / fastest
    if not math.isfinite(over):
        raise ValueError("a velocity of %s m/s and %s rad/s" % (linear, angular))
    return (left / over, right / over) if over > 1 else (left, right)


def scan(proximity):
    """Ranges from the robot's centre, m, by ray from -pi on; infinite where nothing is near, NaN where no sensor looks."""
    ranges = [math.nan] * RAYS
    for angle, near in zip(SENSORS, proximity):
        ray = round((angle + math.pi) / (2 * math.pi) * RAYS) % RAYS
        ranges[ray] = RADIUS + (1 - near) * RANGE if near > 0 else math.inf
    return ranges


def quaternion(heading):
    """x, y, z, w of a heading, rad."""
    return (0.0, 0.0, math.sin(heading / 2), math.cos(heading / 2))


def twist(before, after):
    """Velocity ahead, m/s, and turn, rad/s, between two senses; zeros if no time passed."""
    seconds = after["time"] - before["time"]
    if seconds <= 0:
        return (0.0, 0.0)
    (x0, y0, h0), (x1, y1, h1) = before["odometry"], after["odometry"]
    ahead = (x1 - x0) * math.cos(h0) + (y1 - y0) * math.sin(h0)
    return (ahead / seconds, (h1 - h0) / seconds)
