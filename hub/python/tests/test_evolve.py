import json
import os
import subprocess

import pytest
import xpuck

SMALL = {"seed": 3, "islands": 2, "generations": 4, "seconds": 3, "remeasure": 4, "settings": {"population": 12}}


def test_a_run_is_stepped_watched_and_kept(tmp_path):
    seen = []
    result = xpuck.evolve(settings=SMALL, out=tmp_path / "run", callback=seen.append)
    assert [g.generation for g in seen] == [1, 2, 3, 4] and seen == result.generations
    assert isinstance(result.best, xpuck.Tree) and str(result.best).startswith("sel\n  avoiding")
    assert json.loads((tmp_path / "run/result.json").read_text())["best_tree"] == str(result.best)
    assert xpuck.evolve(settings=SMALL).best == result.best, "a seed gives the same digits"
    with pytest.raises(OSError, match="run"):
        xpuck.evolve(settings=SMALL, out=tmp_path / "run")


def test_a_run_that_was_left_goes_on_with_the_same_digits(tmp_path):
    whole = xpuck.evolve(settings=SMALL)
    early = xpuck.evolve(settings=SMALL, out=tmp_path / "left", callback=lambda g: g.generation < 2)
    assert len(early.generations) == 2
    evolution = xpuck.Evolution(settings=SMALL, out=tmp_path / "kept")
    evolution.step()
    del evolution
    result = xpuck.evolve(resume=tmp_path / "kept")
    assert [g.generation for g in result.generations] == [2, 3, 4] and result.outcome["best_tree"] == str(whole.best)


def test_the_command_gives_the_same_tree(tmp_path):
    command = os.environ.get("XPUCK")
    if command is None:
        pytest.skip("XPUCK names no program")
    evolution = xpuck.Evolution(settings=SMALL)
    file = tmp_path / "evolution.toml"
    file.write_text(evolution.file())
    told = subprocess.run([command, "evolve", file, "--json"], check=True, capture_output=True)
    assert json.loads(told.stdout)["best_tree"] == str(xpuck.evolve(file).best)


def test_populations_can_be_looked_at():
    evolution = xpuck.Evolution(settings=SMALL)
    generation = next(iter(evolution))
    population = evolution.population(1)
    assert 2 <= len(population) <= 12 and population[0][1] >= population[-1][1]
    assert generation.best_fitness == max(fitness for _, fitness in evolution.champions())
    assert evolution.done == pytest.approx(0.25) and not evolution.is_done
    with pytest.raises(ValueError, match="island = 2"):
        evolution.population(2)


@pytest.mark.parametrize(
    ("settings", "words"),
    [({"islandz": 3}, "islandz"), ({"islands": 0}, "islands"), ({"seed": None}, "settings"), ({"seconds": "x"}, "seconds")],
)
def test_wrong_settings_are_named(settings, words):
    with pytest.raises(ValueError, match=words):
        xpuck.Evolution(settings=settings)


def test_wrong_files_are_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        xpuck.Evolution(tmp_path / "nowhere.toml")
    with pytest.raises(FileNotFoundError, match="nowhere"):
        xpuck.Evolution.resume(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="resume"):
        xpuck.evolve(resume=tmp_path, settings=SMALL)


def test_a_full_disk_is_told_and_the_run_goes_on_from_its_last_generation(tmp_path):
    if not os.path.exists("/dev/full"):
        pytest.skip("no /dev/full")
    evolution = xpuck.Evolution(settings=SMALL, out=tmp_path / "run")
    evolution.step()
    os.rename(tmp_path / "run/times.csv", tmp_path / "times")
    os.symlink("/dev/full", tmp_path / "run/times.csv")
    with pytest.raises(OSError, match=r"times\.csv"):
        evolution.step()
    del evolution
    os.remove(tmp_path / "run/times.csv")
    os.rename(tmp_path / "times", tmp_path / "run/times.csv")
    assert xpuck.evolve(resume=tmp_path / "run").outcome["best_tree"] == str(xpuck.evolve(settings=SMALL).best)


def test_a_sweep_is_done_goes_on_and_is_compared(tmp_path):
    file = tmp_path / "small.toml"
    file.write_text(
        'name = "small"\nseeds = [1, 2]\n[base]\nislands = 1\ngenerations = 2\nseconds = 2.0\nremeasure = 4\n'
        "settings = { population = 8 }\n[grid]\nsettings.depth = [3, 5]\n"
    )
    result = xpuck.sweep(file, out=tmp_path / "out")
    assert [run.state for run in result.runs] == ["done"] * 4 and len(result.settings) == 2
    assert result.runs[0].result()["generations"] == 2
    assert (tmp_path / "out/curves.svg").stat().st_size > 1000 and (tmp_path / "out/results.parquet").exists()
    assert xpuck.sweep(file, out=tmp_path / "out") == result, "nothing is done twice"
