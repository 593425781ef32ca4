"""Constants of include/shim.vh by name, so that the benches use the same table."""

import pathlib
import re

FILE = pathlib.Path(__file__).resolve().parent.parent / "include/shim.vh"
NAMES = {name: int(value, 16) for name, value in re.findall(r"`define (\w+) +\d+'h([0-9a-f]+)", FILE.read_text())}


def register(name):
    """Address of a register."""
    return NAMES[f"SHIM_{name.upper()}"]


def status(name):
    """Mask of a bit in the register `status`."""
    return 1 << NAMES[f"STATUS_{name.upper()}"]
