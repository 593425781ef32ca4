"""Tests that studies give the numbers of the command line, and tests of their frames and figures."""

import json
import os
import signal
import subprocess
import threading
import time

import pytest

import xpuck
from conftest import ROOT
from limits import INTERRUPT_S

TREE = ROOT / "docs" / "trees" / "806768.bt"


def command(*words):
    """Returns the output of `xpuck study --json`."""
    program = os.environ.get("XPUCK")
    if not program:
        pytest.skip("XPUCK names no program")
    done = subprocess.run([program, "study", *map(str, words), "--json"], capture_output=True, text=True, check=True)
    return json.loads(done.stdout)


@pytest.fixture(scope="module")
def tree():
    return xpuck.Tree.load(TREE)


def test_sizes_are_those_of_the_command_line(tree):
    found = xpuck.studies.size(tree, [1, 2, 4], runs=20, seconds=10)
    assert found.result == command("size", TREE, "--sizes", "1,2,4", "--runs", 20, "--seconds", 10)
    frame = found.frame()
    assert list(frame.robots) == [1, 2, 4] and frame.fitness[2] == found.result["sizes"][2]["fitness"]["mean"]
    assert found.frame("polars").shape == frame.shape
    assert found._repr_svg_().startswith("<svg") and found.sentence in repr(found)


def test_a_world_of_another_size_grows_as_on_the_command_line(tree):
    found = xpuck.studies.size(tree, [20], xpuck.World(3, scenario="b"), runs=4, seconds=5)
    assert found.result == command("size", TREE, "--sizes", "20", "--runs", 4, "--seconds", 5, "--scenario", "b")
    assert xpuck.World(2).with_robots(20).arena_m == xpuck.World(20).arena_m


def test_every_study_of_a_tree_is_that_of_the_command_line(tree):
    explore = xpuck.Tree("explore 20")
    few = ["--runs", 6, "--seconds", 5]
    world = xpuck.World(3)
    mixed = xpuck.studies.mix(tree, explore, world, names=("806768", "explore"), runs=6, seconds=5)
    assert mixed.result == command("mix", TREE, ROOT / "docs" / "trees" / "explore.bt", "--robots", 3, *few)
    starts = xpuck.studies.perturb({"806768": tree}, runs=200, seconds=2)
    assert starts.result == command("perturb", TREE, "--runs", 200, "--seconds", 2)
    ablation = xpuck.studies.ablate(tree, world, runs=6, seconds=5)
    assert ablation.result == command("ablate", TREE, "--robots", 3, *few)
    assert len(ablation.frame()) == len(ablation.result["changes"])
    branches = xpuck.studies.branches(tree, world, runs=6, seconds=5)
    assert branches.result == command("branches", TREE, "--robots", 3, *few)
    tuned = xpuck.studies.tune(tree, world, sizes=[2], generations=2, trials=2, runs=6, seconds=5)
    wanted = command("tune", TREE, "--robots", 3, "--sizes", "2", "--generations", 2, "--trials", 2, *few)
    assert tuned.result == wanted
    assert len(xpuck.Tree(tuned.result["tree"])) == len(tree)
    alone = xpuck.studies.hetero([TREE], world, mixed=6, alone=3, drawn=2, seconds=5)
    assert alone.result == command("hetero", TREE, "--robots", 3, "--mixed", 6, "--alone", 3, "--drawn", 2, "--seconds", 5)


SMALL = {"islands": 2, "robots": 2, "seconds": 5, "settings": {"population": 8}}


def test_studies_of_evolution_are_those_of_the_command_line(tmp_path):
    small = ["--set", "islands=2", "--set", "robots=2", "--set", "seconds=5", "--set", "settings.population=8"]
    moved = xpuck.studies.migrate([1, 0], settings=SMALL, generations=3, seeds=2, runs=4)
    assert moved.result == command("migrate", "--rates", "1,0", "--generations", 3, "--seeds", 2, "--runs", 4, *small)
    assert len(moved.frame()) == 4
    adapted = xpuck.studies.adapt(settings=SMALL, before=2, after=2, seeds=1, runs=4)
    assert adapted.result == command("adapt", "--before", 2, "--after", 2, "--seeds", 1, "--runs", 4, *small)
    files = [tmp_path / "one.toml", tmp_path / "two.toml"]
    for file, elite in zip(files, (0.2, 0.4)):
        file.write_text(f"[settings]\nelite = {elite}\n")
    found = xpuck.studies.transfer(files, settings=SMALL, generations=2, seeds=2, runs=4)
    wanted = command("transfer", *files, "--generations", 2, "--seeds", 2, "--runs", 4, *small)
    for result in (found.result, wanted):
        # The cost of a run is measured, and differs between runs.
        for row in result["runs"] + result["settings"]:
            row.pop("wall_s", None)
            row.pop("cost", None)
    assert found.result == wanted


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda tree: xpuck.studies.size(tree, [300]), "1 to 256"),
        (lambda tree: xpuck.studies.size(tree, runs=1), "2 to 1000000"),
        (lambda tree: xpuck.studies.mix(tree, tree, xpuck.World(1)), "two robots"),
        (lambda tree: xpuck.studies.perturb(tree, seconds=float("nan")), "0.1 to 36000"),
        (lambda tree: xpuck.studies.hetero(["nowhere"]), "nowhere"),
        (lambda tree: xpuck.studies.adapt("weather", 1.0), "frisbee-mass"),
        (lambda tree: xpuck.studies.transfer([]), "files is empty"),
        (lambda tree: xpuck.studies.migrate(settings={"islandz": 3}), "islandz"),
        (lambda tree: xpuck.studies.size(tree, engine="warp"), "must be simd, gpu"),
        (lambda tree: xpuck.studies.ablate(tree).frame("excel"), "pandas or polars"),
    ],
)
def test_what_cannot_be_is_told_in_a_line(tree, call, words):
    with pytest.raises((ValueError, OSError), match=words) as error:
        call(tree)
    assert "\n" not in str(error.value)


def test_a_study_ends_soon_after_ctrl_c(tree):
    def press():
        time.sleep(1)
        signal.raise_signal(signal.SIGINT)

    began = time.monotonic()
    pressing = threading.Thread(target=press)
    pressing.start()
    with pytest.raises(KeyboardInterrupt):
        xpuck.studies.size(tree, runs=1_000_000, seconds=600)
    pressing.join()
    assert time.monotonic() - began < INTERRUPT_S


def test_progress_is_told_and_other_threads_go_on(tree):
    counted = []
    ticking = threading.Event()

    def tick():
        while not ticking.wait(0.01):
            counted.append(1)

    thread = threading.Thread(target=tick)
    thread.start()
    shown = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("xpuck.studies.Bar.show", lambda self, done, **words: shown.append(done))
        xpuck.studies.size(tree, range(1, 9), runs=2000)
    ticking.set()
    thread.join()
    assert shown == sorted(shown) and shown[-1] == 1.0 and len(shown) > 2
    assert len(counted) > 20


@pytest.mark.filterwarnings("ignore:no GPU found")
def test_engines_are_chosen_by_name(tree):
    runs = xpuck.simulate(tree, runs=20, seconds=5)
    assert (runs == xpuck.simulate(tree, runs=20, seconds=5, engine="reference")).all()
    # Mesa's software adapter, if there is no other.
    on_gpu = xpuck.simulate(tree, runs=64, seconds=10, engine="gpu")
    assert abs(on_gpu.mean() - xpuck.simulate(tree, runs=64, seconds=10).mean()) < 0.1
    with pytest.raises(ValueError, match="no-such-card"):
        xpuck.simulate(tree, engine="gpu", adapter="no-such-card")
    with pytest.raises(ValueError, match="all_senses"):
        xpuck.simulate_jobs([tree], xpuck.World(2), [0], engine="reference", all_senses=True)
