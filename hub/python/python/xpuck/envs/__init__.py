"""Environments for reinforcement learning.

`SwarmEnv` is an environment of Gymnasium and `SwarmVectorEnv` a vectorised one (`pip install gymnasium`); `SwarmParallelEnv` is a
parallel environment of PettingZoo (`pip install pettingzoo`). A step is 0.1 s, and an action is a goal velocity or the speeds of the
wheels. The reward is the fitness earned in the step; all robots share it, and its sum over an episode is the task's fitness.
A function `reward` replaces the reward (`xpuck.Worlds`). Episodes end after a fixed time (truncation).

Importing this module registers `xpuck/Swarm-v0` in Gymnasium, for `make` and `make_vec`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._parallel import SwarmParallelEnv
    from ._single import SwarmEnv
    from ._vector import SwarmVectorEnv

__all__ = ["SwarmEnv", "SwarmParallelEnv", "SwarmVectorEnv"]

ID = "xpuck/Swarm-v0"


def _register() -> None:
    try:
        from gymnasium.envs.registration import register, registry
    except ModuleNotFoundError:
        return
    if ID not in registry:
        register(ID, entry_point="xpuck.envs:SwarmEnv", vector_entry_point="xpuck.envs:SwarmVectorEnv")


_register()


def __getattr__(name: str) -> Any:
    # Loaded on access, so that each environment requires only its own package.
    try:
        if name == "SwarmEnv":
            from ._single import SwarmEnv

            return SwarmEnv
        if name == "SwarmVectorEnv":
            from ._vector import SwarmVectorEnv

            return SwarmVectorEnv
        if name == "SwarmParallelEnv":
            from ._parallel import SwarmParallelEnv

            return SwarmParallelEnv
    except ModuleNotFoundError as error:
        raise ModuleNotFoundError(f"{name} needs the package {error.name}: pip install {error.name}") from error
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
