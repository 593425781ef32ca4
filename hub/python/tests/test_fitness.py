"""Fitness functions in simulations, and rewards of environments."""

import numpy as np
import pytest
import xpuck
from functions import HOMING, WRONG, at_home, homing

TREE = "explore 20"


def test_function_equals_formula_of_a_mission():
    tree, world = xpuck.Tree(TREE), xpuck.World.parse(HOMING)
    found = xpuck.simulate(tree, world, runs=40, seconds=8, fitness=homing)
    assert found.dtype == np.float32 and len(set(found)) > 3
    assert (found == xpuck.simulate(tree, world, runs=40, seconds=8)).all()
    mean = xpuck.World.parse(HOMING.replace("last(n(home)) / N", "mean(share(home))"))
    found = xpuck.simulate(tree, mean, runs=40, seconds=8, fitness=lambda robots: at_home(robots[:, 1:]).mean((1, 2)))
    assert found == pytest.approx(xpuck.simulate(tree, mean, runs=40, seconds=8), rel=1e-6), "the start does not count"


def test_function_equals_fitness_of_the_frisbee(pusher):
    tree = xpuck.Tree(pusher)

    def speed(robots, discs):
        assert robots.shape == (10, 51, 3, 3) and discs.shape == (10, 51, 1, 3) and robots.dtype == np.float32
        assert (robots[:, 0] == start[:, :3]).all() and (discs[:, 0] == start[:, 3:]).all(), "the start is at time 0"
        assert (np.hypot(*np.diff(robots[..., :2], axis=1).T) < 0.014).all(), "0.13 m/s for 0.1 s"
        return (discs[:, 0, 0, 0] - discs[:, -1, 0, 0]) / 5 / xpuck.V_MAX

    world = xpuck.World.parse(
        'robots = 3\n[task]\nkind = "transport-once"\n[[disc]]\nx_m = [-0.2, 0.2]\ny_m = [-0.2, 0.2]\n'
        "[[start]]\nx_m = [-0.8, 0.8]\ny_m = [-0.6, 0.6]\n"
    )
    start = xpuck.Worlds(world, 10).poses()
    found = xpuck.simulate(tree, world, runs=10, seconds=5, fitness=speed)
    assert found == pytest.approx(xpuck.simulate(tree, world, runs=10, seconds=5), abs=1e-6)


def test_chunks_are_bounded_and_do_not_change_digits(pusher):
    trees = [xpuck.Tree(pusher), xpuck.Tree(TREE), xpuck.Tree("upfield 1")]
    world = xpuck.World(4)
    teams = np.arange(700) % 3
    seen = []

    def spread(robots, discs):
        seen.append(np.concatenate([robots, discs], axis=2))
        return robots[..., 0].std((1, 2)) + np.abs(discs[..., 1]).mean((1, 2))

    def run(chunk_mb):
        seen.clear()
        return xpuck.simulate_jobs(trees, world, teams, worlds=np.arange(700), seconds=4, fitness=spread, chunk_mb=chunk_mb)

    fitness, hashes = run(64)
    assert len(seen) == 1
    whole = seen[0]
    again, other = run(1)
    assert len(seen) == 2 and max(robots.nbytes for robots in seen) <= 1e6 and len(seen[0]) % 16 == 0
    assert (np.concatenate(seen) == whole).all()
    assert (again == fitness).all() and (other == hashes).all()
    assert (hashes == xpuck.simulate_jobs(trees, world, teams, worlds=np.arange(700), seconds=4)[1]).all()
    assert xpuck.simulate_jobs(trees, world, np.zeros(0, int), fitness=spread)[0].shape == (0,)


@pytest.mark.parametrize(("function", "kind", "text"), WRONG, ids=lambda value: getattr(value, "__name__", ""))
def test_wrong_results_are_rejected_in_one_line(function, kind, text):
    with pytest.raises(kind, match="fitness " + text if text.startswith("function") else text) as error:
        xpuck.simulate(xpuck.Tree(TREE), xpuck.World(2), runs=3, seconds=1, fitness=function)
    assert "\n" not in str(error.value)
    assert kind is not RuntimeError or isinstance(error.value.__cause__, ZeroDivisionError)
    worlds = xpuck.Worlds(xpuck.World(2), 3, reward=lambda before, after: function(after))
    with pytest.raises(kind, match=text.split("function ")[0] if not text.startswith("function") else "reward function"):
        worlds.step(np.zeros((3, 2, 2)))


def test_wrong_arguments_are_named():
    tree, world = xpuck.Tree(TREE), xpuck.World(2)
    for wrong, kind, words in [
        ({"fitness": 3}, TypeError, "fitness is a int, expected a function"),
        ({"fitness": lambda: 0}, TypeError, r"another number of arguments, expected \(robots\) or \(robots, discs\)"),
        ({"fitness": lambda a, b, c: 0}, TypeError, "another number of arguments"),
        ({"chunk_mb": 0.5}, ValueError, "chunk_mb = 0.5: must be 1 to 4096"),
        ({"chunk_mb": float("nan")}, ValueError, "chunk_mb = nan"),
        ({"seconds": 36000, "chunk_mb": 2}, ValueError, r"chunk_mb = 2: the trajectory of one run .* has 13.0 MB"),
        ({"engine": "reference"}, ValueError, 'fitness requires engine = "simd"'),
    ]:
        with pytest.raises(kind, match=words):
            xpuck.simulate(tree, world, **({"runs": 2, "seconds": 1, "fitness": homing} | wrong))
    with pytest.raises(TypeError, match=r"expected \(before, after\)"):
        xpuck.Worlds(world, 2, reward=lambda after: after)


def test_worlds_that_change_are_rejected():
    walled = HOMING + '\n[[latch]]\nname = "late"\nwhen = "time > 1"\n[[wall]]\nfrom_m = [0.5, 0.5]\nto_m = [0.5, 0.7]\nwhen = "late"\n'
    world = xpuck.World.parse(walled)
    assert len(xpuck.simulate(xpuck.Tree(TREE), world, runs=2, seconds=2)) == 2
    for call in (lambda: xpuck.Worlds(world, 2), lambda: xpuck.simulate(xpuck.Tree(TREE), world, runs=2, fitness=homing)):
        with pytest.raises(ValueError, match="walls, patches or lights with `when`"):
            call()


def test_calls_that_end_python_are_not_wrapped():
    def stop(robots):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        xpuck.simulate(xpuck.Tree(TREE), runs=2, seconds=1, fitness=stop)


def test_rewards_read_the_poses_before_and_after_a_step():
    world = xpuck.World(3)
    starts = []

    def progress(before, after, discs_before, discs_after):
        assert before.shape == (4, 3, 3) and discs_after.shape == (4, 1, 3)
        starts.append(before)
        with pytest.raises(ValueError, match="read-only"):
            after += 1
        return (after[..., 0] - before[..., 0]).mean(1)

    worlds = xpuck.Worlds(world, 4, seconds=2, reward=progress)
    for seed in (5, 6):
        worlds.reset(seed)
        start = worlds.poses()
        total = np.zeros(4)
        while not worlds.is_over:
            senses, rewards = worlds.step(np.tile(np.float32([1, 0.3]), (4, 3, 1)))
            total += rewards
        assert (starts[0] == start[:, :3]).all(), "a reset is not a step"
        assert total == pytest.approx((worlds.poses() - start)[:, :3, 0].mean(1), abs=1e-5)
        assert worlds.fitness().shape == (4,)
        starts.clear()


def test_environments_give_the_reward_of_the_function():
    from xpuck.envs import SwarmEnv, SwarmParallelEnv, SwarmVectorEnv

    def reward(before, after):
        return np.arange(len(after)) + 7

    env = SwarmVectorEnv(xpuck.World(2), 3, seconds=0.5, per_robot=True, reward=reward)
    env.reset(seed=1)
    assert (env.step(env.action_space.sample())[1] == [7, 7, 8, 8, 9, 9]).all()
    single = SwarmEnv(xpuck.World(2), reward=reward)
    single.reset(seed=1)
    assert single.step(single.action_space.sample())[1] == 7
    parallel = SwarmParallelEnv(xpuck.World(2), reward=reward)
    parallel.reset(seed=1)
    assert parallel.step({"robot_0": [0, 0], "robot_1": [0, 0]})[1] == {"robot_0": 7, "robot_1": 7}
