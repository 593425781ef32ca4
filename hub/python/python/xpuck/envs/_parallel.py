"""Swarm as a parallel environment of PettingZoo."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from gymnasium.utils import seeding
from numpy.typing import ArrayLike, NDArray
from pettingzoo import ParallelEnv

from .. import World
from .._functions import RewardFunction
from .._worlds import SENSES, Worlds


class SwarmParallelEnv(ParallelEnv):
    """One world whose robots are the agents robot_0, robot_1 and so on; all receive the reward of the world's task."""

    metadata = {"name": "xpuck_swarm_v0", "render_modes": [], "is_parallelizable": True}

    def __init__(
        self,
        world: World | None = None,
        *,
        seconds: float = 60.0,
        senses: Sequence[str] = SENSES,
        actions: str = "goal",
        reward: RewardFunction | None = None,
    ) -> None:
        self.worlds = Worlds(world, 1, seconds=seconds, senses=senses, actions=actions, reward=reward)
        self.render_mode = None
        self.possible_agents = [f"robot_{i}" for i in range(self.worlds.robots)]
        self.agents: list[str] = []
        self._seeded = False
        self.observation_spaces = {
            agent: Box(-np.inf, np.inf, (self.worlds.cells,), np.float32) for agent in self.possible_agents
        }
        self.action_spaces = {agent: Box(-1.0, 1.0, (2,), np.float32) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Box:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Box:
        return self.action_spaces[agent]

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, NDArray[np.float32]], dict[str, dict[str, Any]]]:
        """Begins the first world of a seed; without a seed, the next world of the current seed, which is random at first."""
        if seed is None and not self._seeded:
            seed = int(seeding.np_random()[0].integers(2**63))
        self._seeded = True
        self.agents = self.possible_agents[:]
        return self._by_agent(self.worlds.reset(seed)[0]), {agent: {} for agent in self.agents}

    def step(
        self, actions: dict[str, ArrayLike]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        """Drives all robots for 0.1 s. Returns observations, rewards, terminations (never), truncations (all at the end), infos."""
        if not self.agents:
            raise RuntimeError("the episode is over: reset() begins the next one")
        missing = [agent for agent in self.agents if agent not in actions]
        if missing:
            raise ValueError(f"no action for {', '.join(missing)}")
        rows = np.array([[np.asarray(actions[agent], np.float32) for agent in self.possible_agents]])
        senses, rewards = self.worlds.step(rows)
        over = self.worlds.is_over
        agents = self.agents
        infos = {agent: {"fitness": float(self.worlds.fitness()[0])} if over else {} for agent in agents}
        if over:
            self.agents = []
        return (
            self._by_agent(senses[0]),
            dict.fromkeys(agents, float(rewards[0])),
            dict.fromkeys(agents, False),
            dict.fromkeys(agents, over),
            infos,
        )

    def state(self) -> NDArray[np.float32]:
        """Returns the poses of all bodies, robots then discs: x [m], y [m] and heading [rad], (3 x bodies,)."""
        state: NDArray[np.float32] = self.worlds.poses()[0].reshape(-1)
        return state

    def render(self) -> None:
        """Does nothing; `xpuck simulate --html` draws runs."""

    def close(self) -> None:
        """Does nothing: there are no resources to release."""

    def _by_agent(self, senses: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
        return dict(zip(self.possible_agents, senses, strict=True))
