"""Tests of the libraries and programs of the crates that differ from BASE in the environment, or from the last commit."""

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
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"check: git {' '.join(arguments)}: {done.stderr.strip() or 'no such commit or branch'}")
    return done.stdout.splitlines()


def changed_files():
    """Files that differ from where the branch left BASE; without BASE from the last commit."""
    base = "HEAD"
    if os.environ.get("BASE"):
        [commit] = git("rev-parse", "--verify", os.environ["BASE"] + "^{commit}")
        [base] = git("merge-base", commit, "HEAD")
    return git("diff", "--name-only", base, "--") + git("ls-files", "--others", "--exclude-standard")


def crates():
    """Folder, name and programs of each crate that has unit tests, the deepest folder first."""
    output = subprocess.run(["cargo", "metadata", "--no-deps", "--format-version", "1", "--locked"], cwd=ROOT,
                            capture_output=True, text=True, check=True).stdout
    found = []
    for package in json.loads(output)["packages"]:
        tested = [target for target in package["targets"] if target["test"] and target["kind"][0] in ("lib", "bin")]
        programs = [target["name"] for target in tested if target["kind"] == ["bin"]]
        if tested:
            found.append((Path(package["manifest_path"]).parent.relative_to(ROOT), package["name"], programs))
    return sorted(found, key=lambda crate: -len(crate[0].parts))


def owners(files):
    """The crates that the files belong to, by name, with their programs."""
    all_crates = crates()
    found = {}
    for file in map(Path, files):
        if file.suffix in (".rs", ".toml", ".wgsl", ".c", ".h"):
            owner = next(((name, programs) for folder, name, programs in all_crates if file.is_relative_to(folder)), None)
            if owner:
                found[owner[0]] = owner[1]
    return found


def main():
    changed = owners(changed_files())
    if not changed:
        print("check: no crate with unit tests changed")
        return 0
    print("check: unit tests of " + ", ".join(changed))
    nextest = [os.environ.get("XPUCK_NEXTEST") or "cargo-nextest", "nextest"]
    packages = [word for name in [*changed, *WHOLE] for word in ("-p", name)]
    programs = [word for names in changed.values() for name in names for word in ("--bin", name)]
    chosen = " | ".join(f"package({name})" for name in changed)
    return subprocess.run([*nextest, "run", "--lib", *programs, *packages, "-E", chosen], cwd=ROOT).returncode


if __name__ == "__main__":
    sys.exit(main())
