import numpy as np
import pytest
import xpuck
from xpuck.envs import SwarmParallelEnv, SwarmVectorEnv


def policy(senses):
    """Steers towards blue and neighbours, and away from obstacles."""
    prox, attr, blue = senses[..., 0:2], senses[..., 4:6], senses[..., 10:12]
    return np.array([0.4, 0.0], np.float32) + blue + 0.3 * attr - 2 * prox


def test_rewards_add_up_to_the_fitness_of_the_task(docs):
    for file in ["aggregation", "coverage", "foraging", "transport"]:
        worlds = xpuck.Worlds(xpuck.World.load(docs / f"worlds/{file}.toml"), 3, seconds=4)
        earned = np.zeros(3)
        while not worlds.is_over:
            earned += worlds.step(policy(worlds.observe()))[1]
        assert earned == pytest.approx(worlds.fitness(), abs=1e-5), file


def test_worlds_begin_as_runs_do_and_go_on_by_number():
    one, other = xpuck.Worlds(count=6, seed=9), xpuck.Worlds(count=3, seed=9)
    assert (one.poses()[:3] == other.poses()).all()
    other.reset()
    assert (one.poses()[3:] == other.poses()).all(), "the next three"
    assert (one.reset(seed=9) == one.observe()).all()
    assert (other.reset(seed=9) == one.observe()[:3]).all()
    assert not (other.reset(seed=10) == one.observe()[:3]).all()


def test_actions_of_another_shape_or_kind_are_refused():
    worlds = xpuck.Worlds(xpuck.World(2), 3, actions="wheels")
    with pytest.raises(ValueError, match=r"actions have shape \[3, 3, 2\], expected \[3, 2, 2\]"):
        worlds.step(np.zeros((3, 3, 2)))
    with pytest.raises(TypeError, match="actions have type complex"):
        worlds.step(np.zeros((3, 2, 2), complex))
    with pytest.raises(TypeError):
        worlds.step(np.zeros((3, 2)))
    before = worlds.poses()
    with pytest.raises(ValueError, match="NaN or infinity"):
        worlds.step(np.full((3, 2, 2), np.nan))
    with pytest.raises(TypeError, match="world is a str"):
        SwarmVectorEnv("arena")
    worlds.step(np.asfortranarray(np.ones((3, 2, 2))))
    assert np.isfinite(worlds.poses()).all() and (worlds.poses() != before).any()
    with pytest.raises(ValueError, match="v_smell"):
        xpuck.Worlds(senses=["v_smell"])
    with pytest.raises(ValueError, match="must be goal or wheels"):
        xpuck.Worlds(actions="legs")
    with pytest.raises(ValueError, match="bodies; at most"):
        xpuck.Worlds(xpuck.World(256), 65536)
    with pytest.raises(ValueError, match="1 to 65536"):
        xpuck.Worlds(count=0)


def test_the_vector_environment_keeps_gymnasiums_rules():
    from gymnasium.vector import AutoresetMode

    env = SwarmVectorEnv(xpuck.World(2), 4, seconds=0.5)
    first, infos = env.reset(seed=5)
    assert first in env.observation_space and infos == {}
    for step in range(12):
        actions = env.action_space.sample()
        senses, rewards, terminations, truncations, infos = env.step(actions)
        assert senses in env.observation_space and rewards.shape == (4,) and not terminations.any()
        assert truncations.all() == (step in (4, 10)) and truncations.any() == truncations.all()
        if step == 5:
            assert (rewards == 0).all() and not (senses == first).all(), "begun anew with the next worlds"
    assert (env.reset(seed=5)[0] == first).all()
    env = SwarmVectorEnv(xpuck.World(2), 4, seconds=0.5, per_robot=True, autoreset_mode=AutoresetMode.SAME_STEP)
    assert env.num_envs == 8 and (env.reset(seed=5)[0] == first.reshape(8, 13)).all()
    for _ in range(5):
        senses, rewards, _, truncations, infos = env.step(env.action_space.sample())
    assert truncations.all() and infos["final_obs"].shape == (8, 13) and infos["_final_obs"].all()
    assert rewards[0] == rewards[1] and infos["final_info"]["fitness"].shape == (8,)
    assert not (senses == infos["final_obs"]).all()
    with pytest.raises(ValueError, match="actions have shape"):
        env.step(np.zeros((4, 2, 2)))


@pytest.mark.filterwarnings("ignore")
def test_gymnasium_makes_and_checks_the_environments():
    import gymnasium
    from gymnasium.utils.env_checker import check_env

    env = gymnasium.make("xpuck/Swarm-v0", world=xpuck.World(3), seconds=1.0)
    check_env(env.unwrapped, skip_render_check=True)
    first, infos = env.reset(seed=7)
    assert first.shape == (3, 13) and infos == {}
    assert (first == SwarmVectorEnv(xpuck.World(3), 1, seconds=1.0).reset(seed=7)[0][0]).all()
    total, truncated = 0.0, False
    while not truncated:
        _, reward, terminated, truncated, infos = env.step(env.action_space.sample())
        assert not terminated
        total += reward
    assert total == pytest.approx(infos["fitness"], abs=1e-5)
    with pytest.raises(RuntimeError, match="reset"):
        env.unwrapped.step(env.action_space.sample())
    many = gymnasium.make_vec("xpuck/Swarm-v0", 5, vectorization_mode="vector_entry_point", world=xpuck.World(3), seconds=1.0)
    assert isinstance(many.unwrapped, SwarmVectorEnv) and many.reset(seed=7)[0].shape == (5, 3, 13)
    beside = gymnasium.make_vec("xpuck/Swarm-v0", 2, vectorization_mode="sync", world=xpuck.World(3))
    assert beside.reset(seed=7)[0].shape == (2, 3, 13)


def test_episode_statistics_of_gymnasium_are_the_fitness():
    from gymnasium.wrappers.vector import RecordEpisodeStatistics

    env = RecordEpisodeStatistics(SwarmVectorEnv(xpuck.World(3), 5, seconds=1))
    env.reset(seed=1)
    for _ in range(10):
        *_, infos = env.step(env.action_space.sample())
    assert infos["episode"]["r"] == pytest.approx(infos["fitness"], abs=1e-5)
    assert (infos["episode"]["l"] == 10).all()


def test_the_parallel_environment_passes_pettingzoos_test():
    from pettingzoo.test import parallel_api_test

    env = SwarmParallelEnv(xpuck.World(3), seconds=2)
    parallel_api_test(env, num_cycles=100)
    first, _ = env.reset(seed=3)
    again, _ = SwarmParallelEnv(xpuck.World(3), seconds=2).reset(seed=3)
    assert all((first[agent] == again[agent]).all() for agent in env.agents)
    assert env.state().shape == (3 * 4,)
    with pytest.raises(ValueError, match="no action for robot_2"):
        env.step({"robot_0": [0, 0], "robot_1": [0, 0]})
    while env.agents:
        infos = env.step({agent: [1, 0] for agent in env.agents})[-1]
    assert -1 <= infos["robot_1"]["fitness"] <= 1
    with pytest.raises(RuntimeError, match="reset"):
        env.step({})
