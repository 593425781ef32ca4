"""Evolution and sweeps with fitness functions."""

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import xpuck
from functions import HOMING, WRONG, homing

SMALL = {"seed": 3, "islands": 2, "generations": 3, "seconds": 3, "remeasure": 4, "settings": {"population": 12}}
#: Keys of the outcome that do not depend on the wall time.
TIMED = ("wall_s", "r_acc")


def outcome(result):
    """Returns the outcome without times, and without the values of a formula, which a function does not have."""

    def compared(items):
        return {key: value for key, value in items.items() if key not in TIMED and not key.endswith("_value")}

    return compared(result.outcome) | {"champions": [compared(champion) for champion in result.outcome["champions"]]}


def test_function_gives_the_run_of_the_formula():
    world = xpuck.World.parse(HOMING)
    expected = xpuck.evolve(settings=SMALL, world=world)
    shapes = []

    def same(robots):
        shapes.append(robots.shape)
        return homing(robots)

    result = xpuck.evolve(settings=SMALL, world=world, fitness=same)
    assert outcome(result) == outcome(expected) | {"fitness": same.__qualname__}
    assert [g.best_fitness for g in result.generations] == [g.best_fitness for g in expected.generations]
    assert {shape[1] for shape in shapes} == {31, 61, 601}, "3 s and 6 s in evolution, 60 s when measured again"
    assert shapes[-1][0] == 2 * 4 and result.fitness == expected.fitness
    assert 0 < result.fitness_share < 1 and expected.fitness_share == 0
    assert result.outcome["r_acc"] > 0
    tiny = xpuck.evolve(settings=SMALL, world=world, fitness=same, chunk_mb=1)
    assert outcome(tiny) == outcome(result), "chunks do not change digits"


def test_threads_do_not_change_digits():
    code = (
        "import xpuck, functions\n"
        f"result = xpuck.evolve(settings={SMALL!r}, world=xpuck.World.parse(functions.HOMING), fitness=functions.homing)\n"
        "print(result.outcome['best_tree'], result.outcome['champions'])"
    )

    def run(threads):
        path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
        env = os.environ | {"RAYON_NUM_THREADS": threads, "PYTHONPATH": path}
        return subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, env=env).stdout

    assert run("1") == run("3") != b""


@pytest.mark.parametrize(("function", "kind", "text"), WRONG, ids=lambda value: getattr(value, "__name__", ""))
def test_wrong_results_undo_the_generation(function, kind, text, tmp_path):
    world = xpuck.World.parse(HOMING)
    calls = []

    def fails(robots):
        calls.append(len(robots))
        return function(robots) if len(calls) == 2 else homing(robots)

    evolution = xpuck.Evolution(settings=SMALL, world=world, out=tmp_path / "run", fitness=fails)
    evolution.step()
    before = evolution.standing()
    files = {name: (tmp_path / "run" / name).read_bytes() for name in os.listdir(tmp_path / "run") if name != "trees"}
    with pytest.raises(kind):
        evolution.step()
    assert evolution.standing() == before
    assert files == {name: (tmp_path / "run" / name).read_bytes() for name in files}
    del evolution
    resumed = xpuck.evolve(resume=tmp_path / "run", fitness=homing)
    whole = xpuck.evolve(settings=SMALL, world=world, fitness=homing)
    ignored = {"fitness": None}
    assert outcome(resumed) | ignored == outcome(whole) | ignored


def test_kinds_of_fitness_are_not_mixed(tmp_path):
    world = xpuck.World.parse(HOMING)
    xpuck.Evolution(settings=SMALL, world=world, out=tmp_path / "own", fitness=homing).step()
    xpuck.Evolution(settings=SMALL, world=world, out=tmp_path / "task").step()
    assert 'fitness = "homing"' in (tmp_path / "own/run.toml").read_text()
    assert xpuck.Evolution.resume(tmp_path / "own", fitness=homing).notices == []
    [notice] = xpuck.Evolution.resume(tmp_path / "own", fitness=lambda robots: homing(robots)).notices
    assert "the fitness was homing and continues as test_kinds" in notice
    with pytest.raises(ValueError, match=r'own/run.toml: fitness = "homing": a Python function computes this fitness; pass'):
        xpuck.evolve(resume=tmp_path / "own")
    with pytest.raises(ValueError, match="task/run.toml: the task of the world computes the fitness of this run; omit fitness"):
        xpuck.evolve(resume=tmp_path / "task", fitness=homing)
    with pytest.raises(ValueError, match="a Python function computes this fitness"):
        xpuck.evolve(settings=SMALL | {"fitness": "homing"})
    with pytest.raises(ValueError, match='engine = "reference": fitness requires'):
        xpuck.evolve(settings=SMALL | {"engine": "reference"}, fitness=homing)
    command = os.environ.get("XPUCK")
    if command is None:
        pytest.skip("XPUCK names no program")
    own = tmp_path / "own"
    for arguments in (["evolve", "--resume", own], ["evolve", own / "run.toml"], ["runs", "remeasure", own]):
        told = subprocess.run([command, *arguments], capture_output=True, text=True)
        assert told.returncode != 0 and "a Python function computes this fitness" in told.stderr
    checked = subprocess.run([command, "check", tmp_path / "own/run.toml"], capture_output=True, text=True)
    assert checked.returncode == 0, checked.stderr


def test_worlds_are_objects_or_files(tmp_path, docs):
    file = tmp_path / "homing.toml"
    file.write_text(HOMING)
    one = xpuck.evolve(settings=SMALL, world=file)
    assert outcome(one) == outcome(xpuck.evolve(settings=SMALL, world=xpuck.World.load(file)))
    assert outcome(xpuck.evolve(settings=SMALL, world=xpuck.World(9))) == outcome(xpuck.evolve(settings=SMALL))
    assert "robots = 4" in xpuck.Evolution(settings=SMALL, world=xpuck.World.load(file).with_robots(4)).file()
    with pytest.raises(ValueError, match="settings has the key world"):
        xpuck.Evolution(settings={"world": str(file)}, world=xpuck.World(3))
    with pytest.raises(ValueError, match="omit scenario"):
        xpuck.Evolution(world=xpuck.World(3, scenario="a"))
    with pytest.raises(ValueError, match="omit path, settings, out and world"):
        xpuck.evolve(resume=tmp_path, world=file)


def test_negative_fitness_is_maximised_too():
    def upfield(robots):
        return robots[:, -1, :, 0].mean(1) - 2

    settings = SMALL | {"seconds": 10, "generations": 6, "settings": {"population": 24}}
    result = xpuck.evolve(settings=settings, world=xpuck.World.parse(HOMING), fitness=upfield)
    first = xpuck.simulate(xpuck.Tree("explore 20"), xpuck.World.parse(HOMING), fitness=upfield).mean()
    assert first + 0.5 < result.fitness < 0 and result.outcome["final_best"] < -0.5, "no value is replaced"


def test_large_fitness_is_warned_of_once():
    with pytest.warns(RuntimeWarning, match=r"returned -?\d.*; scale its values to about 0 to 1") as warned:
        xpuck.evolve(settings=SMALL, fitness=lambda robots: 1000 * robots[:, -1, :, 0].mean(1))
    assert len(warned) == 1


def test_sweep_with_a_function(tmp_path):
    file, text = tmp_path / "small.toml", (
        'name = "small"\nseeds = [1, 2]\n[base]\nfitness = "own"\nislands = 1\ngenerations = 2\nseconds = 2.0\nremeasure = 4\n'
        "settings = { population = 8 }\n[grid]\nsettings.depth = [3, 5]\n"
    )
    file.write_text(text)
    result = xpuck.sweep(file, out=tmp_path / "out", fitness=lambda robots: robots[:, -1, :, 0].mean(1))
    assert [run.state for run in result.runs] == ["done"] * 4 and len(result.settings) == 2
    kept = json.loads((result.runs[0].folder / "result.json").read_text())
    assert kept["fitness"].endswith("<lambda>")
    with pytest.raises(ValueError, match="a Python function computes this fitness"):
        xpuck.sweep(file, out=tmp_path / "out")
    file.write_text(text.replace('fitness = "own"\n', ""))
    with pytest.raises(ValueError, match=r'the line fitness = "NAME" under \[base\]'):
        xpuck.sweep(file, out=tmp_path / "other", fitness=homing)
