"""Hashes of inputs: what passed with the same inputs on this machine need not run again."""

import functools
import hashlib
import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from stat import S_ISLNK, S_ISREG

ROOT = Path(__file__).resolve().parents[2]
STATE = ROOT / "target" / "suite"


def load(name):
    """Content of a state file, or an empty table if it is missing or damaged."""
    try:
        table = json.loads((STATE / name).read_text())
    except (OSError, ValueError):
        return {}
    return table if isinstance(table, dict) else {}


def save(name, table):
    """Replaces a state file; readers see the old or the new one."""
    STATE.mkdir(parents=True, exist_ok=True)
    new = STATE / f"{name}.new"
    new.write_text(json.dumps(table, indent=0, sort_keys=True))
    new.rename(STATE / name)


_hashes = load("hashes.json")


def digest(*texts):
    """Hash of a sequence of texts."""
    return hashlib.sha256("\0".join(texts).encode(errors="surrogateescape")).hexdigest()


def file_hash(path):
    """Hash of a file's content and of whether it may be executed; an unchanged file is not read again.

    A link stands for its target's name, a folder (of another repository) for itself, and `missing` for no file.
    """
    path = Path(path)
    try:
        stat = path.lstat()
        if S_ISLNK(stat.st_mode):
            return "link " + os.readlink(path)
        if not S_ISREG(stat.st_mode):
            return "no file"
        about = [stat.st_mtime_ns, stat.st_ctime_ns, stat.st_size, stat.st_ino, stat.st_mode]
        known = _hashes.get(str(path))
        if isinstance(known, list) and known[:-1] == about:
            return known[-1]
        with path.open("rb") as file:
            found = hashlib.file_digest(file, "sha256").hexdigest() + oct(stat.st_mode & 0o111)
    except OSError:
        return "missing"
    _hashes[str(path)] = [*about, found]
    return found


def remember_hashes():
    """Keeps the hashes of files for the next run."""
    save("hashes.json", {path: about for path, about in _hashes.items() if os.path.exists(path)})


@functools.cache
def is_checkout():
    """Whether the folder is the top of a Git checkout: in any other, Git cannot list the sources."""
    try:
        top = subprocess.run(["git", "rev-parse", "--show-toplevel"], cwd=ROOT, capture_output=True, text=True)
    except OSError:
        return False
    return top.returncode == 0 and Path(top.stdout.rstrip("\n")).resolve() == ROOT


def source_hash(*patterns):
    """Hash of all files of the working tree that match Git's path patterns (`:!x` excludes); None outside a Git checkout.

    Ignored files do not count; untracked files do.
    """
    if not is_checkout():
        return None
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-per-directory=.gitignore", "--", *patterns]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True)
    names = sorted({name for name in os.fsdecode(listed.stdout).split("\0") if name})
    # Patterns that match nothing are a mistake in a table, not unchanged inputs.
    if listed.returncode or not names:
        return None
    return digest(*(f"{name} {file_hash(ROOT / name)}" for name in names))


@functools.cache
def machine_hash():
    """Hash of the compiler, the installed Debian packages, this process's rights, and environment variables that tests read."""
    rustc = subprocess.run(["rustc", "-vV"], capture_output=True, text=True).stdout
    packages = subprocess.run(["dpkg-query", "-W"], capture_output=True, text=True).stdout if shutil.which("dpkg-query") else ""
    ours = sorted(f"{key}={value}" for key, value in os.environ.items()
                  if key.startswith(("XPUCK_", "RUST", "CARGO_")) and key not in ("XPUCK_SLOWNESS", "XPUCK_SKIPPED"))
    return digest(rustc, packages, rights(), *ours)


def rights():
    """The capabilities of this process, as the kernel prints them."""
    try:
        lines = Path("/proc/self/status").read_text().splitlines()
    except OSError:
        return ""
    return " ".join(line for line in lines if line.startswith("Cap"))


def is_for_lack_of_rights(skip):
    """Whether a line about something skipped names a missing capability: it stays skipped as long as the key is the same."""
    return re.search(r"\(CAP_[A-Z_]+\)", skip) is not None


def key(patterns, built=(), command=""):
    """Key of a part's inputs: sources, built files, the command and the machine; None if one of them is not there."""
    sources = source_hash(*patterns)
    programs = [file_hash(ROOT / path) for path in built]
    if sources is None or "missing" in programs:
        return None
    return digest(sources, machine_hash(), command, *programs)
