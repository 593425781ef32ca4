"""Lays the pages of the site into a folder, for mdBook: stage.py FOLDER.

Pages lie there as in the repository, so that their links hold as they stand. What they link to and is neither page nor
picture (a world, a tree, a source file, a folder of them) becomes a page that shows it.
"""

import os
import re
import shutil
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PICTURES = {".svg", ".png"}
# Languages by the ends of files' names; others are plain text.
LANGUAGES = {".toml": "toml", ".rs": "rust", ".py": "python", ".sh": "sh", ".sbatch": "sh", ".json": "json", ".cff": "yaml"}
LINK = re.compile(r"\]\(([^)\s#]+)(#[^)\s]*)?\)")
# A cell of a table that is no more than a figure and its unit, or has spaces between thousands.
FIGURE = re.compile(r"(?<=\|) ?[-+<>]?\d[\d., ]*(?: ?(?:%|s|ms|us|min|h|d|days|m|MB|KB|GB|MiB|GiB|Hz))? ?(?=\|)")


def in_site(path: Path) -> Path:
    """Where a page lies in the site: that of the front first, others as in the repository."""
    if path == Path("site/front.md"):
        return Path("index.md")
    return path.relative_to("site") if path.parts[0] == "site" else path


def page_of(path: Path) -> Path:
    """The page that shows a file or folder, both from the top of the repository."""
    if not (ROOT / path).is_dir():
        return path.with_name(path.name + ".md")
    readme = path / "README.md"
    return readme if (ROOT / readme).exists() else path / "files.md"


def whole(found: re.Match) -> str:
    """A cell that is not broken into lines."""
    return f" {found[0].strip().replace(' ', '&nbsp;')} "


def link(page: Path, to: Path, name: str) -> str:
    return f"[{name}]({Path(os.path.relpath(to, page.parent)).as_posix()})"


class Stage:
    def __init__(self, folder: Path):
        self.folder = folder
        # Files and folders that pages of their own show.
        self.shown: set[Path] = set()

    def write(self, path: Path, text: str) -> None:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text)

    def show(self, path: Path) -> None:
        """Has a file or folder shown, with all that is in it."""
        if path in self.shown or path.suffix in PICTURES | {".md"}:
            return
        self.shown.add(path)
        if (ROOT / path).is_dir():
            for entry in sorted((ROOT / path).iterdir()):
                if not entry.name.startswith("."):
                    self.show(path / entry.name)
        else:
            self.write(page_of(path), self.listing(path))

    def listing(self, path: Path) -> str:
        """A file as a page."""
        text = (ROOT / path).read_text()
        fence = "`" * max([3, *(len(run) + 1 for run in re.findall("`+", text))])
        return f"# {path.as_posix()}\n\n{fence}{LANGUAGES.get(path.suffix, 'text')}\n{text.rstrip()}\n{fence}\n"

    def page(self, source: Path, place: Path) -> None:
        """A page, with links to files and folders led to the pages that show them."""

        def lead(found: re.Match) -> str:
            target, anchor = found[1], found[2] or ""
            path = Path(os.path.normpath(source.parent / target))
            if ":" in target or not (ROOT / path).exists():
                return found[0]
            if path.suffix in PICTURES or path.suffix == ".md":
                to = in_site(path)
            else:
                self.show(path)
                to = page_of(path)
            return f"]({Path(os.path.relpath(to, place.parent)).as_posix()}{anchor})"

        text = LINK.sub(lead, (ROOT / source).read_text())
        # Figures in tables are not broken between a number and its unit.
        lines = (FIGURE.sub(whole, line) if line.startswith("|") else line for line in text.split("\n"))
        self.write(place, "\n".join(lines))

    def listings(self) -> str:
        """The last part of the summary: the files that are shown, those of docs/ by folders."""
        lines, sources = ["\n# Files\n"], ["- [Sources]()"]
        for folder in sorted({path.parent for path in self.shown}):
            entries = [path for path in sorted(self.shown) if path.parent == folder]
            files = [path for path in entries if not (ROOT / path).is_dir()]
            if not files:
                continue
            place = folder / "files.md"
            items = "".join(f"- {link(place, page_of(path), path.name)}\n" for path in entries)
            self.write(place, f"# Files of {folder.as_posix()}/\n\n{items}")
            part, depth = (lines, "") if folder.parts[:1] == ("docs",) else (sources, "  ")
            part.append(f"{depth}- [{folder.as_posix()}/]({place.as_posix()})")
            part += [f"{depth}  - [{path.name}]({page_of(path).as_posix()})" for path in files]
        return "\n".join(lines + sources) + "\n"


def crates() -> str:
    """A table of the workspace's crates that leads to what `cargo doc` writes of them."""
    rows = ["\n| crate | |\n|---|---|"]
    for member in tomllib.loads((ROOT / "Cargo.toml").read_text())["workspace"]["members"]:
        manifest = tomllib.loads((ROOT / member / "Cargo.toml").read_text())
        if not manifest.get("lib", {}).get("doc", True):
            continue
        name = manifest["package"]["name"]
        programs = [] if (ROOT / member / "src/lib.rs").exists() else manifest.get("bin", [])
        documented = programs[0]["name"] if programs else name.replace("-", "_")
        rows.append(f"| [{name}](api/{documented}/index.html) | {manifest['package']['description']} |")
    return "\n".join(rows) + "\n"


def open_playground(page: Path) -> None:
    """Adds a link to the playground of the site, if it was built."""
    if (ROOT / "target/playground/index.html").exists():
        title, rest = page.read_text().split("\n", 1)
        page.write_text(f"{title}\n\n[**Open the playground**](../playground/index.html)\n{rest}")


def main() -> None:
    folder = Path(sys.argv[1])
    shutil.rmtree(folder, ignore_errors=True)
    stage = Stage(folder)
    for file in ROOT.glob("docs/**/*"):
        if file.suffix in PICTURES:
            place = folder / file.relative_to(ROOT)
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(file, place)
    summary = Path("site/SUMMARY.md")
    for target, _ in LINK.findall((ROOT / summary).read_text()):
        path = Path(os.path.normpath(summary.parent / target))
        stage.page(path, in_site(path))
    stage.page(summary, in_site(summary))
    summary = folder / "SUMMARY.md"
    summary.write_text(summary.read_text() + stage.listings())
    (folder / "crates.md").write_text((folder / "crates.md").read_text() + crates())
    open_playground(folder / "docs/playground.md")
    shutil.copytree(ROOT / "site/theme", folder / "theme")
    shutil.copyfile(ROOT / "hub/service/console/icon.svg", folder / "theme/favicon.svg")
    shutil.copyfile(ROOT / "site/book.toml", folder / "book.toml")


main()
