"""Prints the resource use and speed of a board's logic, and fails if a limit is missed:
`report.py BOARD ASC REPORT LOG`. nextpnr succeeds even on a full disk, so its output files are first checked for
completeness."""

import json
import os
import re
import sys

BARS = {"clk": 48.0, "cam_clk": 27.0, "ft_clk": 69.0}  # MHz
CELLS = 0.75  # maximum fraction of the logic cells
PAD_TO_PAD = 15.0  # limit of the SPI tap's pad-to-pad delay (ns)

TILES = 14 * 18 - 4  # number of tiles of an HX1K: a grid without its corners

board, asc, report, log = sys.argv[1:]
try:
    told = json.load(open(report))
except ValueError:
    sys.exit(f"report: {report} was not written whole; is there room for it?")
tiles = open(asc).read().split("_tile ")
if len(tiles) - 1 != TILES or ".sym " not in tiles[-1] or not tiles[-1].endswith("\n"):
    sys.exit(f"report: {asc} was not written whole; is there room for it?")
failed = []


def line(what, figure, bar, good):
    try:
        print(f"{board}: {what:<34} {figure:>12}   {bar}", flush=True)
    except BrokenPipeError:
        # The output was closed; the limits are checked anyway.
        sys.stdout = open(os.devnull, "w")
    if not good:
        failed.append(what)


for cells, name in [("ICESTORM_LC", "logic cells"), ("ICESTORM_RAM", "blocks of memory"), ("SB_IO", "pins")]:
    used, there = told["utilization"][cells]["used"], told["utilization"][cells]["available"]
    bar = f"below {CELLS:.0%}" if name == "logic cells" else ""
    line(f"{name}, of {there}", f"{used} ({used / there:.1%})", bar, not bar or used < CELLS * there)
for clock, bar in BARS.items():
    found = [fmax["achieved"] for name, fmax in told["fmax"].items() if name.split("$")[0] == clock]
    achieved = found[0] if found else 0.0
    line(f"clock {clock}", f"{achieved:.1f} MHz", f"{bar:.0f} MHz or more", achieved >= bar)
# The log contains the delays after placing first, and those after routing last.
pads = re.findall(r"Max delay <async>\s*-> <async>\s*: ([0-9.]+) ns", open(log).read())
line("SPI, pad to pad", f"{float(pads[-1]):.2f} ns" if pads else "none", f"below {PAD_TO_PAD:.0f} ns",
     bool(pads) and float(pads[-1]) < PAD_TO_PAD)  # fmt: skip
sys.exit(f"report: {board} misses: {', '.join(failed)}" if failed else 0)
