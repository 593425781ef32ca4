"""ROS node: publishes /scan, /odom and /tf from the senses of one robot, and sends /cmd_vel to its wheels.

    ros2 run xpuck_bridge bridge --ros-args -p robot:=xp01

The node controls the wheels while it receives /cmd_vel. Half a second after the last message, the
behaviour tree controls them again.
"""

import math
import threading

import rclpy
from geometry_msgs.msg import TransformStamped, Twist
from nav_msgs.msg import Odometry
from rclpy.node import Node
from sensor_msgs.msg import LaserScan
from tf2_ros import TransformBroadcaster

import xpuck

from . import convert

SILENT = 0.5


class Bridge(Node):
    def __init__(self):
        super().__init__("xpuck")
        self.declare_parameter("robot", "xp01")
        self.declare_parameter("rate", 20.0)
        robot, rate = (self.get_parameter(name).value for name in ("robot", "rate"))
        self.robot = xpuck.connect(robot, name="ros2", rate=rate, take=False)
        self.frame = "base_link"
        self.scans = self.create_publisher(LaserScan, "scan", 10)
        self.odometries = self.create_publisher(Odometry, "odom", 10)
        self.transforms = TransformBroadcaster(self)
        self.lock = threading.Lock()
        self.wanted = None
        self.create_subscription(Twist, "cmd_vel", self.command, 10)
        threading.Thread(target=self.follow, daemon=True).start()

    def command(self, message):
        try:
            speeds = convert.wheels(message.linear.x, message.angular.z, self.robot.about["max_speed"])
        except ValueError as error:
            self.get_logger().error(str(error))
            speeds = (0.0, 0.0)
        with self.lock:
            self.wanted = (speeds, self.get_clock().now())

    def follow(self):
        before, drives = None, False
        try:
            for senses in self.robot:
                drives = self.drive(drives)
                self.publish(before or senses, senses)
                before = senses
        except (OSError, xpuck.Refused) as error:
            self.get_logger().fatal(str(error))
            rclpy.try_shutdown()

    def drive(self, drives):
        """Drives according to /cmd_vel, and releases the wheels when no messages arrive. Returns whether it drives."""
        with self.lock:
            wanted = self.wanted
        fresh = wanted and (self.get_clock().now() - wanted[1]).nanoseconds < SILENT * 1e9
        if fresh and not drives:
            self.robot.take()
        if fresh:
            self.robot.drive(*wanted[0])
        elif drives:
            self.robot.release()
        return bool(fresh)

    def publish(self, before, senses):
        stamp = self.get_clock().now().to_msg()
        if senses["proximity"]:
            scan = LaserScan()
            scan.header.stamp, scan.header.frame_id = stamp, self.frame
            scan.angle_min, scan.angle_increment = -math.pi, 2 * math.pi / convert.RAYS
            scan.angle_max = math.pi - scan.angle_increment
            scan.range_min, scan.range_max = convert.RADIUS, convert.RADIUS + convert.RANGE
            scan.ranges = convert.scan(senses["proximity"])
            self.scans.publish(scan)
        x, y, heading = senses["odometry"]
        turned = convert.quaternion(heading)
        odometry = Odometry()
        odometry.header.stamp, odometry.header.frame_id, odometry.child_frame_id = stamp, "odom", self.frame
        place, turn = odometry.pose.pose.position, odometry.pose.pose.orientation
        place.x, place.y = x, y
        turn.x, turn.y, turn.z, turn.w = turned
        odometry.twist.twist.linear.x, odometry.twist.twist.angular.z = convert.twist(before, senses)
        self.odometries.publish(odometry)
        transform = TransformStamped()
        transform.header, transform.child_frame_id = odometry.header, self.frame
        moved, rotation = transform.transform.translation, transform.transform.rotation
        moved.x, moved.y = x, y
        rotation.x, rotation.y, rotation.z, rotation.w = turned
        self.transforms.sendTransform(transform)


def main():
    rclpy.init()
    node = Bridge()
    try:
        rclpy.spin(node)
    except KeyboardInterrupt:
        pass
    finally:
        node.robot.close()
        node.destroy_node()
        rclpy.try_shutdown()
