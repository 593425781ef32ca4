"""Faults that are planted in copies of the logic to test the checks.

A core's `formal/faults.toml` or `sim/faults.toml` lists them:

    [[fault]]
    name = "the last byte is committed twice"   # description
    file = "cores/row_fifo/rtl/row_fifo.v"      # path below fpga/
    find = "if (w_commit && !lost)"             # must occur exactly once
    replace = "if (w_commit)"
    check = "order"                             # proof or test that must fail
"""

import pathlib
import shutil
import tempfile
import tomllib

ROOT = pathlib.Path(__file__).resolve().parent.parent


def listed(kind):
    """The faults of all cores for `kind` ("formal" or "sim") as pairs of core and entry."""
    found = []
    for path in sorted(ROOT.glob(f"cores/*/{kind}/faults.toml")):
        for fault in tomllib.loads(path.read_text())["fault"]:
            found.append((path.parent.parent.name, fault))
    return found


class Planted:
    """A copy of the logic with one fault, as a folder that exists while the `with` block runs."""

    def __init__(self, fault):
        self.fault = fault

    def __enter__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="xpuck-fault-"))
        copy = self.folder / "fpga"
        shutil.copytree(ROOT, copy, ignore=shutil.ignore_patterns("*.pyc", "__pycache__"))
        file = copy / self.fault["file"]
        text = file.read_text()
        if text.count(self.fault["find"]) != 1:
            raise SystemExit(f"{self.fault['file']}: {self.fault['find']!r} does not stand there exactly once")
        file.write_text(text.replace(self.fault["find"], self.fault["replace"]))
        return copy

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)
