"""The Rust tests: builds them, leaves out those that passed with the same inputs, and runs the others with cargo-nextest."""

import functools
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from xml.etree import ElementTree

import stamps

ROOT = stamps.ROOT
LISTED = stamps.STATE / "tests.json"
BINARIES = stamps.STATE / "binaries.json"
METADATA = stamps.STATE / "metadata.json"
FEATURES = ["--features", "xpuck-shim/verilated"]


def to_file(path, command):
    """Runs a command with its standard output in a file."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w") as out:
        subprocess.run(command, cwd=ROOT, stdout=out, check=True)


def build(nextest):
    """Compiles programs and tests, and lists both; later steps need no cargo, so that they run beside it."""
    to_file(METADATA, ["cargo", "metadata", "--format-version", "1", "--locked"])
    to_file(BINARIES, [*nextest, "list", *FEATURES, "--list-type", "binaries-only", "--message-format", "json"])
    # With the features of the tests, so that only the Python module is compiled.
    subprocess.run(["cargo", "build", "--workspace", "--exclude", "xpuck-fuzz", *FEATURES], cwd=ROOT, check=True)
    # Cargo does not touch a program whose sources are unchanged; the list needs no build.
    reuse = ["--binaries-metadata", str(BINARIES), "--cargo-metadata", str(METADATA)]
    to_file(LISTED, [*nextest, "list", *reuse, "--message-format", "json"])


def inputs():
    """The tables of tools/suite/inputs.toml."""
    with (ROOT / "tools/suite/inputs.toml").open("rb") as file:
        return tomllib.load(file)


def keys():
    """Key of the inputs of each test, by `binary test`. Ignored tests are left out."""
    tables = inputs()
    key = functools.cache(stamps.key)
    found = {}
    for suite in json.loads(LISTED.read_text())["rust-suites"].values():
        binary = stamps.file_hash(suite["binary-path"])
        for name, about in suite["testcases"].items():
            if about["ignored"]:
                continue
            full = f"{suite['binary-id']} {name}"
            started = [program for prefix, programs in tables["programs"].items() if full.startswith(prefix) for program in programs]
            parts = [key(tuple(tables["default"]), tuple(started))]
            parts += [key(tuple(patterns), ()) for prefix, patterns in tables["more"].items() if full.startswith(prefix)]
            found[full] = None if None in parts else stamps.digest(binary, *parts)
    return found


def filter_of(pending, everything):
    """The filter expression of nextest that selects the pending tests."""
    by_binary = {}
    for full in everything:
        binary, name = full.split(" ", 1)
        by_binary.setdefault(binary, {})[name] = full in pending
    terms = []
    for binary, tests in sorted(by_binary.items()):
        wanted = [name for name, runs in tests.items() if runs]
        unwanted = [name for name, runs in tests.items() if not runs]
        if not wanted:
            continue
        term = f"binary_id(={binary})"
        if unwanted:
            few, sign = (wanted, "") if len(wanted) <= len(unwanted) else (unwanted, "not ")
            term += f" & {sign}(" + " | ".join(f"test(={name})" for name in few) + ")"
        terms.append(f"({term})")
    return " | ".join(terms)


def results(junit):
    """Result of each test of a JUnit report: (binary, test, seconds, passed at the first try)."""
    for suite in ElementTree.parse(junit).getroot():
        for case in suite.iter("testcase"):
            tags = {child.tag for child in case}
            if tags & {"flakyFailure", "flakyError"}:
                print(f"flaky: {suite.get('name')} {case.get('name')} passed only at its second try")
            good = not tags & {"failure", "error", "flakyFailure", "flakyError"}
            yield suite.get("name"), case.get("name"), float(case.get("time", 0)), good


def skipped_tests(skips):
    """Names of tests that left something out; their result may change with what is installed."""
    lines = skips.read_text().splitlines() if skips.exists() else []
    return {line.split(": ")[1] for line in lines if line.count(": ") >= 2 and not stamps.is_for_lack_of_rights(line)}


def run(nextest, profile, force):
    """Runs the tests of a profile of .config/nextest.toml that have no stamp; returns the exit code."""
    everything = keys()
    passed = {} if force else stamps.load("passed.json")
    pending = {full for full, key in everything.items() if key is None or passed.get(full) != key}
    if not pending:
        print(f"all {len(everything)} tests passed before with the same inputs")
        return 0
    # A file, because the expression can be longer than an argument may be; with all of the configuration, because a profile
    # inherits only from profiles of its own file.
    config = stamps.STATE / f"nextest-{profile}.toml"
    config.write_text((ROOT / ".config/nextest.toml").read_text() + f"\n[profile.pending-{profile}]\ninherits = \"{profile}\"\n"
                      f"default-filter = {json.dumps(selection(profile, filter_of(pending, everything)))}\n"
                      f"junit = {{ path = \"junit.xml\" }}\n")
    junit = ROOT / "target/nextest" / f"pending-{profile}" / "junit.xml"
    junit.unlink(missing_ok=True)
    command = [*nextest, "run", "--binaries-metadata", str(BINARIES), "--cargo-metadata", str(METADATA),
               "--config-file", str(config), "--profile", f"pending-{profile}", "--no-fail-fast",
               "--no-tests", "pass"]
    code = subprocess.run(command, cwd=ROOT).returncode
    if junit.exists():
        record(junit, everything, len(everything) - len(pending))
    return code


def unnamed():
    """Profile of nextest with the tests that inputs.toml does not name."""
    named = []
    for prefix in inputs()["more"]:
        binary, name = prefix.split(" ", 1)
        named.append(f"(binary_id(={binary}) & test(/^{name}/))")
    expression = selection("default", "not (" + " | ".join(named) + ")")
    return f"[profile.unnamed]\ninherits = \"default\"\ndefault-filter = {json.dumps(expression)}"


def selection(profile, pending):
    """The pending tests that belong to a profile: those of `latency`, or all others."""
    with (ROOT / ".config/nextest.toml").open("rb") as file:
        latency = tomllib.load(file)["profile"]["latency"]["default-filter"]
    return f"{'' if profile == 'latency' else 'not '}({latency}) & ({pending})"


def record(junit, everything, before):
    """Stamps the tests that passed, and keeps times for the list of the slowest."""
    skipped = skipped_tests(Path(os.environ["XPUCK_SKIPPED"])) if "XPUCK_SKIPPED" in os.environ else set()
    # A file that changed during the run may or may not have been tried.
    after = keys()
    passed, times = stamps.load("passed.json"), stamps.load("times.json")
    for binary, name, seconds, good in results(junit):
        full = f"{binary} {name}"
        times[full] = seconds
        passed.pop(full, None)
        if good and name not in skipped and everything.get(full) and everything[full] == after.get(full):
            passed[full] = everything[full]
    stamps.save("passed.json", {full: key for full, key in passed.items() if full in everything})
    stamps.save("times.json", {full: seconds for full, seconds in times.items() if full in everything})
    stamps.remember_hashes()
    if before:
        print(f"{before} tests passed before with the same inputs")


def main():
    nextest = [os.environ.get("XPUCK_NEXTEST") or "cargo-nextest", "nextest"]
    if sys.argv[1] == "build":
        build(nextest)
        return 0
    if sys.argv[1] == "unnamed":
        print(unnamed())
        return 0
    return run(nextest, sys.argv[1], force=bool(os.environ.get("FORCE")))


if __name__ == "__main__":
    sys.exit(main())
