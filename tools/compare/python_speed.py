"""How fast the Python package is, beside `xpuck dev bench` by turns: python_speed.py [PROGRAM]"""

import json
import statistics
import subprocess
import sys
import time

import numpy as np
import xpuck
from xpuck.envs import SwarmVectorEnv

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else "target/debug/xpuck"
ROBOTS, WORLDS, SECONDS, ROUNDS, STEPS = 16, 1000, 30, 3, 200


def of_program() -> float:
    """Robot-seconds a second, the median of three."""
    command = [PROGRAM, "bench", "--engine", "simd", "--worlds", str(WORLDS), "--repeat", "3", "--json"]
    told = subprocess.run(command, check=True, capture_output=True)
    return json.loads(told.stdout)["engines"][0]["r_acc"]


def of_package() -> float:
    """The same work from Python, the median of three."""
    tree, world, speeds = xpuck.Tree("explore 20"), xpuck.World(ROBOTS), []
    for _ in range(3):
        begun = time.perf_counter()
        teams, numbers = np.zeros(WORLDS, np.uint32), np.arange(WORLDS)
        xpuck.simulate_jobs([tree], world, teams, worlds=numbers, seconds=SECONDS, all_senses=True)
        speeds.append(ROBOTS * WORLDS * SECONDS / (time.perf_counter() - begun))
    return statistics.median(speeds)


def of_environment(per_robot: bool) -> float:
    """Robot steps a second."""
    env = SwarmVectorEnv(num_envs=1024, per_robot=per_robot)
    env.reset(seed=1)
    actions = np.zeros(env.action_space.shape, np.float32)
    actions[..., 0] = 0.7
    begun = time.perf_counter()
    for _ in range(STEPS):
        env.step(actions)
    return 1024 * env.worlds.robots * STEPS / (time.perf_counter() - begun)


for _ in range(ROUNDS):
    program, package = of_program(), of_package()
    print(f"r_acc of the program {program:,.0f}, of the package {package:,.0f}: {package / program:.2f}")
for per_robot in (False, True):
    print(f"environment, per_robot = {per_robot}: {of_environment(per_robot):,.0f} robot steps a second")
