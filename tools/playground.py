"""Lays the files of the playground into a folder: playground.py LIBRARY FOLDER.

These are the page, the modules that it imports, examples, and the WebAssembly library; beside each file a compressed copy.
"""

import gzip
import json
import os
import re
import shutil
import sys
from pathlib import Path

CONSOLE = Path("hub/service/console")
PAGE = CONSOLE / "playground/page.html"
LINK = re.compile(r'(?:href|src)="([^"#]+)"')
# Imports of a module, and workers that it starts.
IMPORT = re.compile(r'(?:^import .*? from |\bnew URL\()"(\.[^"]+)"', re.MULTILINE)
# The first tree is shown at the start, and then come the trees of the tutorial. Trees of Kilobots and networks are not for this page.
TREES = {"806768": "trees/806768", "tutorial 1": "tutorial/first", "tutorial 2": "tutorial/second", "tutorial 3": "tutorial/third"}
TREES |= {name: f"trees/{name}" for name in ["explore", "attract", "repel", "bsearch", "square", "wanderer", "gardening", "aac", "for"]}
WORLDS = ["aggregation", "coverage", "dispersion", "foraging", "phototaxis"]


def files() -> list[Path]:
    """The files that the page links to or imports, directly or indirectly."""
    found = [file for link in LINK.findall(PAGE.read_text()) if (file := CONSOLE / link).exists()]
    for file in found:
        imports = IMPORT.findall(file.read_text()) if file.suffix == ".js" else []
        paths = [Path(os.path.normpath(file.parent / name)) for name in imports]
        found += [path for path in dict.fromkeys(paths) if path.exists() and path not in found]
    return found


def page(modules: list[Path]) -> str:
    """The page, which loads all its modules at once."""
    imported = [file.relative_to(CONSOLE).as_posix() for file in modules if file.suffix == ".js" and file.name != "worker.js"]
    links = "".join(f'<link rel="modulepreload" href="{name}">\n' for name in imported)
    return PAGE.read_text().replace('<script type="module"', f'{links}<script type="module"')


def examples() -> dict[str, list[dict[str, str]]]:
    docs = Path("docs")
    worlds = [*sorted((docs / "worlds/missions").glob("*.toml")), *(docs / f"worlds/{name}.toml" for name in WORLDS)]
    return {
        "trees": [{"name": name, "text": (docs / f"{file}.bt").read_text()} for name, file in TREES.items()],
        "worlds": [{"name": file.stem, "text": file.read_text()} for file in worlds],
    }


def main() -> None:
    library, folder = Path(sys.argv[1]), Path(sys.argv[2])
    new = folder.with_suffix(".new")
    shutil.rmtree(new, ignore_errors=True)
    (new / "playground").mkdir(parents=True)
    modules = files()
    for file in [*modules, CONSOLE / "vendor/LICENSE"]:
        place = new / file.relative_to(CONSOLE)
        place.parent.mkdir(exist_ok=True)
        shutil.copyfile(file, place)
    (new / "index.html").write_text(page(modules))
    shutil.copyfile(library, new / "playground/xpuck.wasm")
    (new / "playground/examples.json").write_text(json.dumps(examples()))
    size = 0
    for file in [path for path in new.rglob("*") if path.is_file()]:
        packed = gzip.compress(file.read_bytes(), mtime=0)
        file.with_name(file.name + ".gz").write_bytes(packed)
        size += len(packed)
    shutil.rmtree(folder, ignore_errors=True)
    new.rename(folder)
    print(f"{folder}: {size} bytes compressed; `xpuck serve playground` shows it")


main()
