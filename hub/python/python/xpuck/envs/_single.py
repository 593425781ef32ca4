"""Swarm as an environment of Gymnasium."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium import Env
from gymnasium.spaces import Box
from numpy.typing import ArrayLike, NDArray

from .. import World
from .._functions import RewardFunction
from .._worlds import SENSES, Worlds


class SwarmEnv(Env[NDArray[np.float32], NDArray[np.float32]]):
    """One world with observations (robots, cells), actions (robots, 2), and the world's reward."""

    metadata: dict[str, Any] = {"render_modes": []}

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
        self.observation_space = Box(-np.inf, np.inf, (self.worlds.robots, self.worlds.cells), np.float32)
        self.action_space = Box(-1.0, 1.0, (self.worlds.robots, 2), np.float32)
        self._seeded = False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begins the first world of a seed; without a seed, the next world of the current seed, which is random at first."""
        super().reset(seed=seed)
        if options:
            raise ValueError(f"unknown options {sorted(options)}")
        if seed is None and not self._seeded:
            seed = int(self.np_random.integers(2**63))
        self._seeded = True
        senses: NDArray[np.float32] = self.worlds.reset(seed)[0]
        return senses, {}

    def step(self, action: ArrayLike) -> tuple[NDArray[np.float32], float, bool, bool, dict[str, Any]]:
        """Drives all robots for 0.1 s. Returns observation, reward, termination (never), truncation (at the end), info."""
        if not self._seeded or self.worlds.is_over:
            raise RuntimeError("no episode is in progress: reset() begins one")
        rows = np.asarray(action, np.float32)
        if rows.shape != self.action_space.shape:
            raise ValueError(f"the action has shape {rows.shape}, expected {self.action_space.shape}")
        senses, rewards = self.worlds.step(rows[np.newaxis])
        over = self.worlds.is_over
        info: dict[str, Any] = {"fitness": float(self.worlds.fitness()[0])} if over else {}
        return senses[0], float(rewards[0]), False, over, info
