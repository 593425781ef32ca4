"""The vectorised environment beside VMAS (https://github.com/proroklab/VectorizedMultiAgentSimulator) in one run.

    pip install target/wheels/xpuck-*.whl gymnasium vmas==1.5.2      # and torch, which VMAS needs
    python tools/compare/beside_vmas.py

Both step the same number of worlds with 16 robots on differential drives, walls and eight proximity rays, at 10 Hz with four steps of
physics each; ours has its camera, range and bearing, compass, the frisbee and the task besides. Prints robot steps a second by turns.
"""

import statistics
import time

import numpy as np
import torch
import xpuck
from vmas import make_env
from vmas.simulator.core import Agent, Box, Landmark, Sphere, World
from vmas.simulator.dynamics.diff_drive import DiffDrive
from vmas.simulator.scenario import BaseScenario
from vmas.simulator.sensors import Lidar
from xpuck.envs import SwarmVectorEnv

ROBOTS, WORLDS, STEPS, ROUNDS = 16, 256, 20, 5


class Arena(BaseScenario):
    """Robots among four walls."""

    def make_world(self, batch_dim, device, **kwargs):
        world = World(batch_dim, device, dt=0.1, substeps=4, x_semidim=1.0, y_semidim=0.75)
        for i in range(ROBOTS):
            rays = Lidar(world, n_rays=8, max_range=0.1)
            agent = Agent(f"robot_{i}", shape=Sphere(0.035), sensors=[rays], rotatable=True, dynamics=DiffDrive(world))
            world.add_agent(agent)
        for i, (length, width) in enumerate([(2.0, 0.02), (2.0, 0.02), (0.02, 1.5), (0.02, 1.5)]):
            world.add_landmark(Landmark(f"wall_{i}", shape=Box(length, width), collide=True, movable=False))
        return world

    def reset_world_at(self, env_index=None):
        rows = self.world.batch_dim if env_index is None else 1
        for agent in self.world.agents:
            place = (torch.rand(rows, 2, device=self.world.device) * 2 - 1) * torch.tensor([0.9, 0.6], device=self.world.device)
            agent.set_pos(place, batch_index=env_index)
        walls = [(0, 0.76), (0, -0.76), (1.01, 0), (-1.01, 0)]
        for wall, place in zip(self.world.landmarks, walls, strict=True):
            wall.set_pos(torch.tensor(place, dtype=torch.float32, device=self.world.device).repeat(rows, 1), batch_index=env_index)

    def observation(self, agent):
        return torch.cat([agent.state.pos, agent.state.vel, agent.sensors[0].measure()], dim=-1)

    def reward(self, agent):
        return torch.zeros(self.world.batch_dim, device=self.world.device)


def speed(step) -> float:
    """Robot steps a second."""
    begun = time.perf_counter()
    for _ in range(STEPS):
        step()
    return ROBOTS * WORLDS * STEPS / (time.perf_counter() - begun)


def main() -> None:
    theirs = make_env(Arena(), num_envs=WORLDS, device="cpu", continuous_actions=True, seed=1)
    theirs.reset()
    ours = SwarmVectorEnv(xpuck.World(ROBOTS), WORLDS, seconds=36_000)
    ours.reset(seed=1)
    actions, forward = np.zeros(ours.action_space.shape, np.float32), [torch.full((WORLDS, 2), 0.3)] * ROBOTS
    actions[..., 0] = 0.7
    found = {"vmas": [], "xpuck": []}
    for _ in range(ROUNDS):
        found["vmas"].append(speed(lambda: theirs.step(forward)))
        found["xpuck"].append(speed(lambda: ours.step(actions)))
    for name, speeds in found.items():
        middle = statistics.median(speeds)
        print(f"{name}: {middle:,.0f} robot steps a second ({min(speeds):,.0f} to {max(speeds):,.0f})")
    print(f"ratio {statistics.median(found['xpuck']) / statistics.median(found['vmas']):.0f}")


if __name__ == "__main__":
    main()
