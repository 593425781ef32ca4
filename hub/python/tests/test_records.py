import json
import os
import socket
import subprocess

import pytest
import xpuck
from limits import HANG_S
from xpuck import records

SMALL = {"seed": 3, "islands": 2, "generations": 20, "seconds": 2, "remeasure": 2, "settings": {"population": 16}}
LIBRARIES = pytest.mark.parametrize("library", ["pandas", "polars"])


def four_ports() -> int:
    """Returns the first of four consecutive free ports."""
    for first in range(23_000 + os.getpid() % 5_000, 32_000, 4):
        try:
            for port in range(first, first + 4):
                with socket.socket() as one:
                    one.bind(("127.0.0.1", port))
            return first
        except OSError:
            continue
    raise AssertionError("no four free ports")


@LIBRARIES
def test_a_run_of_evolution_is_read_as_frames_until_it_is_closed(tmp_path, library):
    xpuck.evolve(settings=SMALL, out=tmp_path / "run")
    with records.open(tmp_path / "run") as record:
        assert record.tables["births"] >= 8
        births, samples = record.frame("births", library), record.frame("samples", library)
        assert set(births["island"]) == {0, 1} and set(samples["generation"]) == set(range(1, 21))
        assert set(samples["id"]) <= set(births["id"]) | set(record.frame("arrivals", library)["id"])
        children = [mother for mother in births["mother"] if isinstance(mother, str)]
        assert children and set(children) <= set(births["id"])
        assert len(record.frame("generations", library)) == 40
        with pytest.raises(ValueError, match="table 'nothing': must be one of generations, births"):
            record.frame("nothing", library)
        with pytest.raises(ValueError, match="must be pandas or polars"):
            record.frame("births", "excel")
    with pytest.raises(ValueError, match="is closed; open it again"):
        record.frame("births")


@LIBRARIES
def test_a_swarms_record_is_read_as_frames_until_it_is_closed(docs, tmp_path, library):
    command = os.environ.get("XPUCK")
    if command is None:
        pytest.skip("XPUCK names no program")
    demo = ["demo", "--count", "2", "--minutes", "0.2", "--speed", "8", "--no-console", "--ports", str(four_ports())]
    tree = ["--tree", docs / "trees/explore.bt", "--output", tmp_path]
    subprocess.run([command, *demo, *tree], check=True, capture_output=True, timeout=HANG_S)
    [run] = [folder for folder in tmp_path.rglob("*") if (folder / "run.mcap").exists()]
    with records.open(run) as record:
        assert record.damage == []
        poses = record.frame("poses", library)
        assert len(poses) == record.tables["poses"] > 20 and {"time", "x", "y"} <= set(poses.columns)
        path = record.path("poses")
    assert not path.exists()
    with pytest.raises(ValueError, match="is closed; open it again"):
        record.frame("poses")


def test_what_is_no_record_is_named(tmp_path):
    with pytest.raises(FileNotFoundError, match="nowhere"):
        records.open(tmp_path / "nowhere")
    with pytest.raises(ValueError, match="record"):
        records.open(tmp_path)
    (tmp_path / "script.py").write_text("print()\n" * 100)
    with pytest.raises(ValueError, match="not the record of a run"):
        records.open(tmp_path / "script.py")
    (tmp_path / "record.mcap").write_text(json.dumps({}))
    with pytest.raises(ValueError, match="is not an evolution record"):
        records.open(tmp_path)
