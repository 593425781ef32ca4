"""Hashes of inputs: what passed with the same inputs on this machine need not run again."""

import functools
import hashlib
import json
import os
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
STATE = ROOT / "target" / "suite"


def load(name):
    """Content of a state file, or an empty table if it is missing or damaged."""
    try:
        return json.loads((STATE / name).read_text())
    except (OSError, ValueError):
        return {}


def save(name, table):
    """Replaces a state file; readers see the old or the new one."""
    STATE.mkdir(parents=True, exist_ok=True)
    new = STATE / f"{name}.new"
    new.write_text(json.dumps(table, indent=0, sort_keys=True))
    new.rename(STATE / name)


_hashes = load("hashes.json")


def digest(*texts):
    """Hash of a sequence of texts."""
    return hashlib.sha256("\0".join(texts).encode()).hexdigest()


def file_hash(path):
    """Hash of a file's content; an unchanged file is not read again. `missing` if there is none."""
    path = Path(path)
    try:
        stat = path.stat()
    except OSError:
        return "missing"
    about = [stat.st_mtime_ns, stat.st_size, stat.st_ino]
    known = _hashes.get(str(path))
    if known and known[:3] == about:
        return known[3]
    with path.open("rb") as file:
        found = hashlib.file_digest(file, "sha256").hexdigest()
    _hashes[str(path)] = [*about, found]
    return found


def remember_hashes():
    """Keeps the hashes of files for the next run."""
    save("hashes.json", {path: about for path, about in _hashes.items() if os.path.exists(path)})


@functools.cache
def source_hash(*patterns):
    """Hash of all files of the working tree that match Git's path patterns (`:!x` excludes); None outside a Git checkout.

    Ignored files do not count; untracked files do.
    """
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", *patterns]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True)
    if listed.returncode:
        return None
    names = sorted({name for name in listed.stdout.decode().split("\0") if name})
    return digest(*(f"{name} {file_hash(ROOT / name)}" for name in names))


@functools.cache
def machine_hash():
    """Hash of the compiler and of the environment variables that change how tests behave."""
    rustc = subprocess.run(["rustc", "-vV"], capture_output=True, text=True).stdout
    ours = sorted(f"{key}={value}" for key, value in os.environ.items()
                  if key.startswith(("XPUCK_", "RUST", "CARGO_")) and key not in ("XPUCK_SLOWNESS", "XPUCK_SKIPPED"))
    return digest(rustc, *ours)


def key(patterns, built=(), command=""):
    """Key of a part's inputs: sources, built files, the command and the machine; None if sources are unknown."""
    sources = source_hash(*patterns)
    if sources is None:
        return None
    return digest(sources, machine_hash(), command, *(file_hash(ROOT / path) for path in built))
