import math
import os
import sys
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
from xpuck_bridge import convert


class Convert(unittest.TestCase):
    def test_a_velocity_becomes_wheel_speeds_and_too_fast_a_one_keeps_its_curve(self):
        self.assertEqual(convert.wheels(0.05, 0.0, 0.13), (0.05, 0.05))
        left, right = convert.wheels(0.0, 1.0, 0.13)
        self.assertAlmostEqual(right - left, convert.WHEELBASE)
        left, right = convert.wheels(1.0, 5.0, 0.13)
        self.assertAlmostEqual(right, 0.13)
        self.assertAlmostEqual(left / right, (1.0 - 5 * convert.WHEELBASE / 2) / (1.0 + 5 * convert.WHEELBASE / 2))
        for wrong in (math.nan, math.inf):
            with self.assertRaises(ValueError):
                convert.wheels(wrong, 0.0, 0.13)

    def test_a_scan_has_the_sensors_where_they_look(self):
        ranges = convert.scan([1.0, 0.5] + [0.0] * 6)
        seen = {i: r for i, r in enumerate(ranges) if not math.isnan(r)}
        self.assertEqual(len(seen), 8)
        angle = lambda ray: -math.pi + ray * 2 * math.pi / convert.RAYS
        nearest = min(seen, key=seen.get)
        self.assertAlmostEqual(angle(nearest), convert.SENSORS[0], delta=math.pi / convert.RAYS)
        self.assertAlmostEqual(seen[nearest], convert.RADIUS)
        self.assertEqual(sum(math.isinf(r) for r in ranges), 6)

    def test_headings_and_velocities(self):
        self.assertEqual(convert.quaternion(0.0), (0.0, 0.0, 0.0, 1.0))
        before = {"time": 1.0, "odometry": [0.0, 0.0, math.pi / 2]}
        after = {"time": 1.5, "odometry": [0.0, 0.05, math.pi / 2 + 0.1]}
        ahead, turn = convert.twist(before, after)
        self.assertAlmostEqual(ahead, 0.1)
        self.assertAlmostEqual(turn, 0.2)
        self.assertEqual(convert.twist(after, before), (0.0, 0.0))


if __name__ == "__main__":
    unittest.main()
