"""Environments for reinforcement learning.

`SwarmEnv` is an environment of Gymnasium and `SwarmVectorEnv` a vectorised one (`pip install gymnasium`), `SwarmParallelEnv` a
parallel one of PettingZoo (`pip install pettingzoo`). A step is 0.1 s, an action a goal velocity or the wheels' speeds, the reward
what the world's task earned in the step, which all robots share: over an episode it adds up to the task's fitness. Episodes end by
their time (truncation).

With this module imported, Gymnasium knows `xpuck/Swarm-v0`, by `make` and by `make_vec`.
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
    # Each is loaded when it is asked for, so that one package suffices for one of them.
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
