"""Worlds with external controllers."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import _xpuck
from ._functions import Checked, RewardFunction
from ._xpuck import World

#: Default senses of a robot: 13 numbers, two for each vector, described in docs/controllers.md.
SENSES = ("v_prox", "v_up", "v_attr", "v_red", "v_green", "v_blue", "s_n")
#: Maximum speed of a wheel of the reference model [m/s]; `World.max_speed` is that of a world.
V_MAX = 0.13


class Worlds:
    """Parallel worlds of one kind, one update of 0.1 s at a time, for controllers written in Python.

    `senses` are registers of a robot's blackboard: v_prox, v_up, v_attr, v_red, v_green, v_blue, v_light, v_tag (two numbers each,
    in the robot's frame, x ahead and y to the left), s_n and s_ground (-1 black, 0 grey, 1 white). `actions` selects the kind of commands: "goal", a goal velocity in the
    robot's frame as written by trees to v_goal, or "wheels", the speeds of the left and the right wheel; the maximum speed is 1.
    World i of a seed begins like run i of `xpuck.simulate`.

    `reward` replaces the reward of the world's task. It is called in each step as r(before, after), or as
    r(before, after, discs_before, discs_after), with read-only arrays (worlds, robots, 3) of x [m], y [m] and heading [rad], and
    returns one finite number for each world. `fitness()` remains the fitness of the task.
    """

    def __init__(
        self,
        world: World | None = None,
        count: int = 16,
        *,
        seconds: float = 60.0,
        senses: Sequence[str] = SENSES,
        actions: str = "goal",
        seed: int = 1,
        reward: RewardFunction | None = None,
    ) -> None:
        if not 0.1 <= seconds <= 36_000:
            raise ValueError(f"seconds = {seconds}: must be 0.1 to 36000")
        self.world = World() if world is None else world
        if not isinstance(self.world, World):
            raise TypeError(f"world is a {type(world).__name__}, expected World(...), World.load(path) or World.parse(text)")
        self.count, self.robots = count, self.world.robots
        #: Number of updates in a run.
        self.updates = round(seconds * 10)
        self._seed, self._first = seed, 0
        self._scale = self.world.max_speed if actions == "wheels" else None
        self._native = _xpuck.Worlds(self.world, count, seed, 0, list(senses), actions, self.updates)
        #: Number of sensed values per robot.
        self.cells = self._native.cells
        self._reward = None if reward is None else Checked("reward", reward, 2, "world")
        self._before = self._read_only_poses()

    def reset(self, seed: int | None = None) -> NDArray[np.float32]:
        """Restarts with the first worlds of a seed, or without a seed with the next worlds of the current seed. Returns the senses
        of the robots, (worlds, robots, cells)."""
        if seed is not None:
            self._seed, self._first = seed, 0
        else:
            self._first = (self._first + self.count) % 2**32
        self._native.reset(self._seed, self._first)
        self._before = self._read_only_poses()
        return self.observe()

    def step(self, actions: ArrayLike) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Drives all robots for 0.1 s with `actions`, (worlds, robots, 2).

        Returns the new senses, (worlds, robots, cells), and the reward of each world, (worlds,): that of the function `reward`, or
        the fitness earned, whose sum over a run is the task's fitness. Goals and wheel speeds are limited to 1; non-finite values are rejected.
        """
        actions = np.asarray(actions)
        if actions.dtype.kind not in "fiu":
            raise TypeError(f"actions have type {actions.dtype}, expected numbers")
        if not np.isfinite(actions).all():
            raise ValueError("actions contain NaN or infinity: check whether the policy has diverged")
        actions = actions.astype(np.float32, copy=False)
        if self._scale is not None:
            actions = actions * np.float32(self._scale)
        senses, rewards = self._empty(), np.empty(self.count, np.float32)
        self._native.step(actions, senses, rewards)
        if self._reward is not None:
            before, self._before = self._before, self._read_only_poses()
            rewards = self._reward.compute((before, self._before), self.robots)
        return senses, rewards

    def observe(self) -> NDArray[np.float32]:
        """Returns the current senses of all robots, (worlds, robots, cells)."""
        senses = self._empty()
        self._native.observe(senses)
        return senses

    def fitness(self) -> NDArray[np.float32]:
        """Returns the task's fitness of each world so far, (worlds,)."""
        return self._native.fitness()

    def poses(self) -> NDArray[np.float32]:
        """Returns the poses of all bodies, robots then discs: x [m], y [m] and heading [rad], (worlds, bodies, 3)."""
        return self._native.poses()

    @property
    def is_over(self) -> bool:
        """Whether the runs have reached their planned length; they can still be continued."""
        return self._native.updates >= self.updates

    def _read_only_poses(self) -> NDArray[np.float32]:
        """Returns the poses of all bodies for the function `reward`; empty without such a function."""
        poses = np.empty(0, np.float32) if self._reward is None else self.poses()
        poses.flags.writeable = False
        return poses

    def _empty(self) -> NDArray[np.float32]:
        return np.empty((self.count, self.robots, self.cells), np.float32)
