import json
import os
import subprocess
import threading
import time

import numpy as np
import pytest
import xpuck
from limits import INTERRUPT_S


def test_digits_are_those_of_the_command(docs, pusher):
    command = os.environ.get("XPUCK")
    if command is None:
        pytest.skip("XPUCK names no program")
    told = subprocess.run(
        [command, "simulate", docs / "trees/806768.bt", "--runs", "20", "--seed", "7", "--seconds", "10", "--json"],
        check=True, capture_output=True,
    )
    told = json.loads(told.stdout)
    fitness = xpuck.simulate(xpuck.Tree(pusher), runs=20, seed=7, seconds=10).astype(float)
    assert fitness.mean() == pytest.approx(told["mean"], abs=1e-9)
    assert fitness.std(ddof=1) == pytest.approx(told["sd"], abs=1e-9)


def test_jobs_are_arrays_and_their_order_does_not_matter(pusher):
    trees = [xpuck.Tree(pusher), xpuck.Tree("upfield 1")]
    world = xpuck.World(4)
    teams = np.array([[0, 0, 0, 0], [1, 1, 1, 1], [0, 1, 0, 1]])
    fitness, hashes = xpuck.simulate_jobs(trees, world, teams, seeds=[3, 3, 3], worlds=[5, 5, 5], seconds=8)
    assert fitness.shape == hashes.shape == (3,) and len(set(hashes)) == 3
    back, _ = xpuck.simulate_jobs(trees, world, teams[::-1], seeds=3, worlds=5, seconds=8)
    assert (back[::-1] == fitness).all(), "views with other strides are read as they look"
    alone = xpuck.simulate_jobs(trees, world, [0], seeds=3, worlds=5, seconds=8, all_senses=True)[0]
    assert alone[0] == fitness[0]
    assert xpuck.simulate_jobs(trees, world, np.zeros((0,), int))[0].shape == (0,)


def test_arrays_of_another_shape_or_kind_are_refused_by_name(pusher):
    tree, world = xpuck.Tree(pusher), xpuck.World(2)
    for wrong, kind, words in [
        ({"teams": np.zeros((2, 3), int)}, ValueError, "teams has 3 columns"),
        ({"teams": np.zeros((2, 2, 2), int)}, ValueError, "teams has shape"),
        ({"teams": [0.0, 1.0]}, TypeError, "teams has type float64"),
        ({"teams": [1]}, ValueError, "index 1"),
        ({"teams": [-1]}, ValueError, "teams has values -1"),
        ({"seeds": [1, 2]}, ValueError, r"seeds has shape \(2,\)"),
        ({"seeds": [-1]}, ValueError, "seeds has values -1"),
        ({"worlds": ["a"]}, TypeError, "worlds has type"),
        ({"seconds": 0}, ValueError, "seconds = 0"),
        ({"seconds": float("nan")}, ValueError, "seconds = NaN"),
    ]:
        with pytest.raises(kind, match=words):
            xpuck.simulate_jobs([tree], world, **({"teams": [0]} | wrong))
    with pytest.raises(ValueError, match="3 trees for 2 robots"):
        xpuck.simulate([tree] * 3, world)
    with pytest.raises(ValueError, match="runs = 0"):
        xpuck.simulate(tree, world, runs=0)
    with pytest.raises(ValueError, match="1 to 256"):
        xpuck.World(0)


def test_worlds_are_read_from_files(docs):
    world = xpuck.World.load(docs / "worlds/aggregation.toml")
    assert world.task == "aggregation" and str(world.robots) in repr(world)
    assert 0 < xpuck.simulate(xpuck.Tree("explore 20"), world, runs=2, seconds=5).min() <= 1
    with pytest.raises(ValueError, match="robotz"):
        xpuck.World.parse("robotz = 3")


def test_other_threads_of_python_run_meanwhile(pusher):
    done = threading.Event()
    thread = threading.Thread(target=lambda: (xpuck.simulate(xpuck.Tree(pusher), runs=400), done.set()))
    thread.start()
    turns = 0
    while not done.is_set():
        turns += 1
        time.sleep(0.001)
    thread.join()
    assert turns > 5


def test_a_forked_process_simulates_too(pusher):
    tree = xpuck.Tree(pusher)
    expected = xpuck.simulate(tree, runs=2, seconds=5)
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(writer, xpuck.simulate(tree, runs=2, seconds=5).tobytes())
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, "rb") as told:
        assert told.read() == expected.tobytes()
    assert os.waitpid(child, 0)[1] == 0


def test_ctrl_c_ends_a_long_measurement(pusher):
    code = f"import xpuck; print('begins', flush=True); xpuck.simulate(xpuck.Tree({pusher!r}), runs=10**6)"
    child = subprocess.Popen(
        [os.sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert child.stdout.readline() == "begins\n"
    time.sleep(0.3)
    child.send_signal(2)
    assert "KeyboardInterrupt" in child.communicate(timeout=INTERRUPT_S)[1]
