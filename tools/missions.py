"""Draws the pictures of missions, and writes the rows of docs/worlds/missions/README.md: missions.py [XPUCK].

A row holds the comment at the top of the mission's file, up to its line `Trap:` and from it, and the formula.
"""

import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = Path("docs/worlds/missions")
# The picture in docs/missions.md.
SHEET = ["aac", "sca", "for", "gate"]
# First cell of a row, with the name of the mission.
ROW = re.compile(r"^\| \[<img src=\"([a-z0-9-]+)\.svg\".*$", re.MULTILINE)


def draw(xpuck: str, names: list[str], picture: Path) -> None:
    files = [str(FOLDER / f"{name}.toml") for name in names]
    subprocess.run([xpuck, "world", "explain", *files, "-o", str(picture)], cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def row(name: str) -> str:
    lines = (ROOT / FOLDER / f"{name}.toml").read_text().split("\n")
    head = lines[: next(i for i, line in enumerate(lines) if not line.startswith("#"))]
    scored, trap = " ".join(line[2:] for line in head).split(" Trap: ")
    formula = next(line for line in lines if line.startswith("score = ")).split('"')[1]
    picture = f'[<img src="{name}.svg" width="240" alt="{name}">]({name}.svg)'
    return f"| {picture} | [{name}]({name}.toml)<br>{scored}<br>`{formula}` | {trap} |"


def main() -> None:
    xpuck = str(Path(sys.argv[1] if len(sys.argv) > 1 else ROOT / "target/debug/xpuck").resolve())
    for file in sorted((ROOT / FOLDER).glob("*.toml")):
        draw(xpuck, [file.stem], FOLDER / f"{file.stem}.svg")
    draw(xpuck, SHEET, Path("docs/missions.svg"))
    page = ROOT / FOLDER / "README.md"
    page.write_text(ROW.sub(lambda found: row(found[1]), page.read_text()))


main()
