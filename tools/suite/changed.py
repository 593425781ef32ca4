"""Unit tests of the crates that changed since a commit: BASE in the environment, or the last commit whose tree differs."""

import json
import os
import subprocess
import sys
from pathlib import Path

import stamps

ROOT = stamps.ROOT
# Programs without a library. Selected beside the changed crates, they give third-party crates the features of a whole build,
# so that nothing below the changed crates is compiled again.
WHOLE = ["xpuck-hub", "xpuck-boot-test"]


def git(*arguments):
    """Output of a Git command, line by line."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True).stdout.splitlines()


def changed_files():
    """Files that differ from BASE; without it from the last commit, or, in a clean tree, from the one before."""
    base = os.environ.get("BASE")
    if base:
        return git("diff", "--name-only", base) + git("ls-files", "--others", "--exclude-standard")
    local = git("diff", "--name-only", "HEAD") + git("ls-files", "--others", "--exclude-standard")
    return local or git("diff", "--name-only", "HEAD~1")


def crates():
    """Folder and name of each crate that has a library with tests, the deepest folder first."""
    output = subprocess.run(["cargo", "metadata", "--no-deps", "--format-version", "1", "--locked"], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout
    found = []
    for package in json.loads(output)["packages"]:
        if any(target["kind"] == ["lib"] and target["test"] for target in package["targets"]):
            found.append((Path(package["manifest_path"]).parent.relative_to(ROOT), package["name"]))
    return sorted(found, key=lambda crate: -len(crate[0].parts))


def owners(files):
    """Names of the crates that the files belong to."""
    all_crates = crates()
    found = set()
    for file in files:
        owner = next((name for folder, name in all_crates if Path(file).is_relative_to(folder)), None)
        if owner and Path(file).suffix in (".rs", ".toml", ".wgsl", ".c", ".h"):
            found.add(owner)
    return sorted(found)


def main():
    names = owners(changed_files())
    if not names:
        print("no crate with unit tests changed")
        return 0
    print("changed: " + ", ".join(names))
    nextest = os.environ.get("XPUCK_NEXTEST", "cargo-nextest").split() + ["nextest"]
    packages = [word for name in [*names, *WHOLE] for word in ("-p", name)]
    return subprocess.run([*nextest, "run", "--lib", *packages], cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
