"""The numbers of include/shim.vh by their names, so that benches follow the one table."""

import pathlib
import re

FILE = pathlib.Path(__file__).resolve().parent.parent / "include/shim.vh"
NAMES = {name: int(value, 16) for name, value in re.findall(r"`define (\w+) +\d+'h([0-9a-f]+)", FILE.read_text())}


def register(name):
    """A register's address."""
    return NAMES[f"SHIM_{name.upper()}"]


def status(name):
    """A bit of the register `status`, as a number with that bit set."""
    return 1 << NAMES[f"STATUS_{name.upper()}"]
