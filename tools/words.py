#!/usr/bin/env python3
"""Draws texts of the project at random, to be judged by the rules of language in CONTRIBUTING.

  python3 tools/words.py comments SEED    200 comments of 60 Rust files, with the line that follows each
  python3 tools/words.py errors SEED      50 messages of errors
  python3 tools/words.py pages SEED       the names of 15 pages
"""

import random
import re
import subprocess
import sys

FILES, COMMENTS, ERRORS, PAGES = 60, 200, 50, 15
# Pages that are generated from the code.
GENERATED = ("docs/nodes.md", "docs/defaults.md", "docs/protocols/")
MESSAGE = re.compile(r'(?:bail!|anyhow!|ensure!|wrong_argument!|#\[error|context|Err)\([^"\n]*("(?:[^"\\]|\\.)*")')


def tracked(pattern: str) -> list[str]:
    """Files of the repository by a pattern of git."""
    return subprocess.run(["git", "ls-files", pattern], capture_output=True, text=True, check=True).stdout.split()


def comments(path: str) -> list[str]:
    """Blocks of comments of a file, each with its place and the line below it."""
    with open(path, encoding="utf-8") as file:
        lines = file.read().split("\n")
    blocks, begin = [], None
    for number, line in enumerate(lines):
        is_comment = line.lstrip().startswith("//")
        if is_comment and begin is None:
            begin = number
        if not is_comment and begin is not None:
            blocks.append("\n".join([f"{path}:{begin + 1}", *lines[begin : number + 1]]))
            begin = None
    return blocks


def main() -> None:
    """Prints the texts that are drawn."""
    if len(sys.argv) != 3 or sys.argv[1] not in ("comments", "errors", "pages"):
        sys.exit(__doc__)
    chance = random.Random(sys.argv[2])
    if sys.argv[1] == "comments":
        blocks = [block for path in chance.sample(tracked("*.rs"), FILES) for block in comments(path)]
        texts = chance.sample(blocks, min(COMMENTS, len(blocks)))
    elif sys.argv[1] == "errors":
        texts = []
        for path in tracked("*.rs"):
            with open(path, encoding="utf-8") as file:
                texts += [f"{path}: {found}" for found in MESSAGE.findall(file.read()) if len(found) > 20]
        texts = chance.sample(texts, ERRORS)
    else:
        pages = [page for page in tracked("*.md") if not page.startswith(GENERATED)]
        texts = chance.sample(pages, PAGES)
    print("\n\n".join(texts) if sys.argv[1] == "comments" else "\n".join(texts))


if __name__ == "__main__":
    main()
