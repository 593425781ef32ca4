"""Swarms as a vectorised environment of Gymnasium."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from gymnasium.spaces import Box
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import ArrayLike, NDArray

from .. import World
from .._functions import RewardFunction
from .._worlds import SENSES, Worlds


class SwarmVectorEnv(VectorEnv):
    """`num_envs` worlds, each an environment; with `per_robot`, every robot of these worlds is an environment.

    A world's observation is (robots, cells) and its action (robots, 2). With `per_robot` they are (cells,) and (2,), `num_envs` is
    worlds times robots, and all robots of a world receive its reward. All episodes end together, after `seconds`.
    """

    metadata: dict[str, Any] = {"render_modes": []}

    def __init__(
        self,
        world: World | None = None,
        num_envs: int = 16,
        *,
        seconds: float = 60.0,
        senses: Sequence[str] = SENSES,
        actions: str = "goal",
        reward: RewardFunction | None = None,
        per_robot: bool = False,
        autoreset_mode: AutoresetMode = AutoresetMode.NEXT_STEP,
    ) -> None:
        self.worlds = Worlds(world, num_envs, seconds=seconds, senses=senses, actions=actions, reward=reward)
        self.per_robot = per_robot
        self._over = False
        rows = () if per_robot else (self.worlds.robots,)
        self.num_envs = num_envs * self.worlds.robots if per_robot else num_envs
        self.single_observation_space = Box(-np.inf, np.inf, (*rows, self.worlds.cells), np.float32)
        self.single_action_space = Box(-1.0, 1.0, (*rows, 2), np.float32)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        if self.autoreset_mode == AutoresetMode.DISABLED:
            raise ValueError("autoreset_mode = DISABLED: all worlds are at the same step; use NEXT_STEP or SAME_STEP")
        self.metadata = {**self.metadata, "autoreset_mode": self.autoreset_mode}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begins the worlds of a seed; without a seed, the next worlds of the current seed, which is random at first."""
        if options:
            raise ValueError(f"unknown options {sorted(options)}")
        if seed is None and self._np_random is None:
            seed = int(self.np_random.integers(2**63))
        elif seed is not None:
            super().reset(seed=seed)
        self._over = False
        return self._rows(self.worlds.reset(seed)), {}

    def step(
        self, actions: ArrayLike
    ) -> tuple[NDArray[np.float32], NDArray[np.float32], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """Drives all robots for 0.1 s. Returns observations, rewards, terminations (never), truncations (all at the end), infos."""
        actions = np.asarray(actions)
        if actions.shape != self.action_space.shape:
            raise ValueError(f"actions have shape {actions.shape}, expected {self.action_space.shape}")
        infos: dict[str, Any] = {}
        if self._over:
            # The step after the end of an episode ignores the action and resets.
            self._over = False
            senses, rewards = self.worlds.reset(), np.zeros(self.worlds.count, np.float32)
        else:
            senses, rewards = self.worlds.step(actions.reshape(self.worlds.count, self.worlds.robots, 2))
            self._over = self.worlds.is_over
        ended = np.full(self.num_envs, self._over)
        if self._over:
            fitness = self.worlds.fitness()
            infos = self._all("fitness", self._each(fitness))
            if self.autoreset_mode == AutoresetMode.SAME_STEP:
                infos = self._all("final_obs", self._rows(senses)) | self._all("final_info", infos)
                senses, self._over = self.worlds.reset(), False
        return self._rows(senses), self._each(rewards), np.zeros(self.num_envs, np.bool_), ended, infos

    def _all(self, key: str, value: Any) -> dict[str, Any]:
        """Returns infos with a key that all environments have."""
        return {key: value, f"_{key}": np.ones(self.num_envs, np.bool_)}

    def _rows(self, senses: NDArray[np.float32]) -> NDArray[np.float32]:
        return senses.reshape(self.num_envs, -1) if self.per_robot else senses

    def _each(self, of_worlds: NDArray[np.float32]) -> NDArray[np.float32]:
        return np.repeat(of_worlds, self.worlds.robots) if self.per_robot else of_worlds
