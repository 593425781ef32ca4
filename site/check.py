"""Checks a site that was built: check.py SITE PAGES, with PAGES the Markdown that it was built of.

Links inside it, their anchors and pictures lead somewhere, nothing is fetched from elsewhere, and no Markdown is left
over. Each that does not is a line of output with file and line of the page, and the end is 1 then.
"""

import os
import sys
import xml.etree.ElementTree
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

# Pages that are made of a file of another name.
MADE_OF = {"index.md": "site/front.md", "crates.md": "site/crates.md"}
# What a page itself fetches: (tag, attribute).
FETCHED = {("script", "src"), ("link", "href"), ("img", "src"), ("source", "src"), ("object", "data"), ("iframe", "src")}


class Page(HTMLParser):
    """A rendered page: its anchors, its references, and the text of its prose."""

    def __init__(self, path: Path):
        super().__init__()
        self.anchors: set[str] = set()
        self.references: list[tuple[bool, str]] = []
        self.prose: list[str] = []
        self.verbatim = 0
        self.feed(path.read_text())

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.verbatim += tag in ("pre", "code", "script", "style")
        self.anchors |= {attributes[key] for key in ("id", "name") if attributes.get(key)}
        for key in ("href", "src", "data"):
            if tag != "base" and attributes.get(key):
                self.references.append(((tag, key) in FETCHED, attributes[key]))

    def handle_endtag(self, tag):
        self.verbatim -= tag in ("pre", "code", "script", "style")

    def handle_data(self, text):
        if not self.verbatim:
            self.prose.append(text)


def broken_picture(path: Path) -> bool:
    if path.suffix == ".png":
        return not path.read_bytes().startswith(b"\x89PNG\r\n")
    try:
        return path.suffix == ".svg" and not xml.etree.ElementTree.parse(path).getroot().tag.endswith("svg")
    except xml.etree.ElementTree.ParseError:
        return True


class Site:
    def __init__(self, site: Path, pages: Path):
        self.site, self.pages = site, pages
        files = [path for path in sorted(site.rglob("*.html")) if path.relative_to(site).parts[0] != "api"]
        self.rendered = {path: Page(path) for path in files}

    def place(self, path: Path, words: str) -> str:
        """The file and line of a page that say something."""
        source = path.relative_to(self.site).with_suffix(".md")
        lines = (self.pages / source).read_text().splitlines() if (self.pages / source).exists() else []
        number = next((at for at, line in enumerate(lines, 1) if words in line), 1)
        return f"{MADE_OF.get(source.as_posix(), source)}:{number}"

    def problem(self, path: Path, fetched: bool, reference: str) -> str | None:
        """What is wrong with a reference on a page."""
        address = urlsplit(reference)
        if address.scheme or address.netloc:
            return f"{reference} is fetched from elsewhere" if fetched else None
        target = Path(os.path.normpath(path.parent / unquote(address.path))) if address.path else path
        if not target.is_file():
            return f"there is no {reference}"
        if broken_picture(target):
            return f"{reference} is no picture"
        page, anchor = self.rendered.get(target), unquote(address.fragment)
        return f"there is no heading {reference}" if page and anchor and anchor not in page.anchors else None

    def problems(self):
        for path, page in self.rendered.items():
            for fetched, reference in page.references:
                if problem := self.problem(path, fetched, reference):
                    # In Markdown the link ends in another way.
                    words = reference.replace(".html", ".md") if not urlsplit(reference).scheme else reference
                    yield f"{self.place(path, f'({words}')}: {problem}"
            for text in page.prose:
                for left in ("](", "```"):
                    if left in text:
                        line = next(line for line in text.splitlines() if left in line)
                        yield f"{self.place(path, line.strip())}: Markdown that is not rendered: {line.strip()}"


def main() -> int:
    site = Site(Path(sys.argv[1]), Path(sys.argv[2]))
    problems = list(dict.fromkeys(site.problems()))
    print(*problems, sep="\n", file=sys.stderr, end="\n" if problems else "")
    references = sum(len(page.references) for page in site.rendered.values())
    print(f"site: {len(site.rendered)} pages, {references} references, {len(problems)} broken")
    return 1 if problems else 0


sys.exit(main())
