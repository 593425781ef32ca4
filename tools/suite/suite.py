#!/usr/bin/env python3
"""Runs the parts of `make test` and `make test-long` side by side, and skips those whose inputs have not changed.

A part is a command of parts.toml. One `front` part runs at a time, at normal priority; one `middle` part beside it, at a lower
priority; `back` parts fill the idle time of the processors. The output of a part is in target/suite/logs/NAME.log and is printed
if the part fails.
"""

import argparse
import fcntl
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import stamps

ROOT = stamps.ROOT
LOGS = stamps.STATE / "logs"
# Of each lane, the number of parts that run at once, and their niceness. At 19 the idle threads of a swarm get more than a part.
LANES = {"front": (1, 0), "middle": (1, 5), "back": (os.cpu_count() or 1, 10)}
# Inputs of every part: what runs it, and what installs its programs.
COMMON = ["tools/suite", "tools/*.sh", "tools/install/packages.mk", "Makefile", ".cargo", "rust-toolchain.toml"]
# Fields of a part in parts.toml.
FIELDS = {"promise", "run", "after", "lane", "alone", "cargo", "inputs", "built", "like", "remedy", "minutes"}
# A part that takes longer is ended [s].
LIMIT_S = 7200
# Most of a log that is read [bytes].
LOG_LIMIT = 16 << 20
# Wall time of `work` on two quiet cores of an AMD EPYC (Zen 4) [s]; slower machines get longer deadlines.
REFERENCE_S = 0.50
# Closing lines of cargo-nextest, cargo test, pytest, node, and of the logic's proofs and benches.
CLOSING = re.compile(r"^(\s*Summary \[.*tests? run:|test result:|\d+ (passed|failed).* in [\d.]+s|(#|ℹ) (tests|pass|fail|cancelled|todo) \d+$"
                     r"|(console-test|flat|deb-test|site): |(prove|bench): \d+ passed)")
COLOURS = {"passed": "32", "failed": "31", "not run": "33", "unchanged": "36"}


def colour(word, text=None):
    """Returns a result, or a text about it, in the result's colour if standard output is a terminal."""
    text = text or word
    return f"\x1b[{COLOURS[word]}m{text}\x1b[0m" if sys.stdout.isatty() else text


def work():
    """Does a fixed amount of work in two processes; returns the wall time [s]."""
    code = "s = 0\nfor i in range(4_000_000): s += i * i % 7"
    began = time.monotonic()
    for process in [subprocess.Popen([sys.executable, "-c", code]) for _ in range(2)]:
        process.wait()
    return time.monotonic() - began


class Part:
    """One command, its conditions and its result."""

    def __init__(self, name, table, shared):
        self.name = name
        self.run = table["run"]
        self.after = table.get("after", [])
        self.lane = table.get("lane", "back")
        self.alone = table.get("alone", False)
        self.cargo = table.get("cargo", False)
        self.inputs = table.get("inputs")
        self.built = table.get("built", [])
        self.remedy = table.get("remedy")
        self.environment = shared
        self.process = None
        self.result = None
        self.seconds = self.processor = 0.0
        self.log = LOGS / f"{name}.log"

    def key(self):
        """Key of the inputs; None for a part that always runs."""
        return stamps.key([*self.inputs, *COMMON], self.built, self.run) if self.inputs is not None else None

    def start(self):
        """Starts the command in a process group of its own.

        It stays in this session: Linux shares processors between sessions first, whatever the niceness of their processes.
        """
        self.began = time.monotonic()
        self.tried = self.key()
        command = f"exec nice -n {LANES[self.lane][1]} sh -c {shlex.quote(self.run)}"
        with self.log.open("wb") as log:
            self.process = subprocess.Popen(["sh", "-c", command], cwd=ROOT, stdin=subprocess.DEVNULL, stdout=log,
                                            stderr=subprocess.STDOUT, env=self.environment, process_group=0)

    def poll(self):
        """Whether the command has ended."""
        if self.process.returncode is not None:
            return True
        pid, status, usage = os.wait4(self.process.pid, os.WNOHANG)
        if pid == 0:
            return False
        self.seconds = time.monotonic() - self.began
        self.processor = usage.ru_utime + usage.ru_stime
        self.process.returncode = os.waitstatus_to_exitcode(status)
        self.result = "failed" if self.process.returncode else "passed"
        return True

    def output(self):
        """Standard output and error so far."""
        try:
            with self.log.open("rb") as log:
                log.seek(max(0, self.log.stat().st_size - LOG_LIMIT))
                return re.sub(r"\x1b\[[0-9;]*m", "", log.read().decode(errors="replace"))
        except OSError as error:
            return f"skipped: {self.name}: its output cannot be read: {error}"

    def skips(self):
        """Lines in which the part reports what this machine cannot test."""
        lines = re.findall(r"^\s*(skipped: .*)|^SKIPPED \[\d+\] (.*)", self.output(), re.M)
        return [ours or f"skipped: {pytest}" for ours, pytest in lines]

    def signal(self, number):
        """Sends a signal to the command and all that it started."""
        try:
            if self.process:
                os.killpg(self.process.pid, number)
        except ProcessLookupError:
            pass


def environment():
    """Variables for all parts: interpreters of the environments that are there, and the machine's slowness."""
    # Variables that change what a part does, and come from a call of make or Git.
    foreign = ("MAKEFLAGS", "MFLAGS", "MAKEOVERRIDES", "MAKELEVEL", "CORE", "SEED", "BUILD")
    found = {name: text for name, text in os.environ.items() if name not in foreign and not name.startswith("GIT_")}
    with (ROOT / "tools/suite/parts.toml").open("rb") as file:
        places = tomllib.load(file)["environment"]
    for name, place in places.items():
        if (ROOT / place).exists():
            found[name] = str(ROOT / place)
    if not found.get("XPUCK_SLOWNESS"):
        found["XPUCK_SLOWNESS"] = f"{min(max(1.0, work() / REFERENCE_S), 10.0):.2f}"
    found["XPUCK_SKIPPED"] = str(stamps.STATE / "skipped.log")
    os.environ.clear()
    os.environ.update(found)
    return found


def ready(part, parts, running):
    """Whether a part may start beside those that run."""
    if any(parts[name].result is None for name in part.after if name in parts):
        return False
    if part.alone:
        return not running and all(p.result or p.alone for p in parts.values())
    if any(other.alone for other in running) or (part.cargo and any(other.cargo for other in running)):
        return False
    return sum(other.lane == part.lane for other in running) < LANES[part.lane][0]


def run(parts, force):
    """Runs all parts; those after a failed one do not run."""
    stamped = stamps.load("parts.json")
    running = []
    shown = time.monotonic()
    try:
        while running or any(part.result is None for part in parts.values()):
            for part in parts.values():
                if part.result or part in running or not ready(part, parts, running):
                    continue
                if any(parts[name].result in ("failed", "not run") for name in part.after if name in parts):
                    finish(part, "not run", stamped)
                elif not force and part.key() is not None and stamped.get(part.name) == part.key():
                    finish(part, "unchanged", stamped)
                else:
                    # However this run ends, an earlier one says nothing any more.
                    stamped.pop(part.name, None)
                    stamps.save("parts.json", stamped)
                    running.append(part)
                    part.start()
                    print(f"  started {part.name}", flush=True)
            for part in running:
                if time.monotonic() - part.began > LIMIT_S:
                    print(f"{part.name} is ended: it takes more than {LIMIT_S} s", flush=True)
                    stop([part])
                    part.result = "failed"
            for part in [part for part in running if part.poll()]:
                running.remove(part)
                finish(part, part.result, stamped)
            if not running and all(part.result or not ready(part, parts, running) for part in parts.values()):
                break
            if time.monotonic() - shown > 60:
                shown = time.monotonic()
                print("  running: " + ", ".join(f"{p.name} {shown - p.began:.0f} s" for p in running), flush=True)
            time.sleep(0.1)
    finally:
        stop(running)
    for part in parts.values():
        # Parts that wait for one another in a circle never start.
        part.result = part.result or "not run"


def stop(running):
    """Ends parts that still run and all that they started: SIGTERM, and SIGKILL after 10 s."""
    for part in running:
        part.signal(signal.SIGTERM)
    deadline = time.monotonic() + 10
    while any(part.process and not part.poll() for part in running) and time.monotonic() < deadline:
        time.sleep(0.1)
    for part in running:
        part.signal(signal.SIGKILL)


def finish(part, result, stamped):
    """Reports a part's end. Stamps a part that passed as a whole, and removes the stamp of one that did not."""
    part.result = result
    if result == "failed":
        text = part.output().splitlines()
        print("\n".join(f"{part.name} | {line}" for line in text[-200:]))
        print(f"the whole output is in {part.log.relative_to(ROOT)}" + (f"; {part.remedy}" if part.remedy else ""))
    if part.process:
        # What the part left running would disturb the others.
        part.signal(signal.SIGKILL)
        # A file that changed during the run may or may not have been tried.
        whole = all(stamps.is_for_lack_of_rights(line) for line in part.skips())
        if result == "passed" and part.tried is not None and part.tried == part.key() and whole:
            stamped[part.name] = part.tried
            stamps.save("parts.json", stamped)
        stamps.save("skips.json", {**stamps.load("skips.json"), part.name: part.skips()})
    detail = f" in {part.seconds:.1f} s ({part.processor:.1f} s of processor time)" if part.process else ""
    print(f"{colour(result)}: {part.name}{detail}", flush=True)
    for line in part.output().splitlines() if part.process else []:
        if line.startswith("check: "):
            print("  " + line.removeprefix("check: "), flush=True)


def report(parts, began):
    """Prints times of the parts, the slowest tests, what was skipped, the result, and the runners' own closing lines."""
    print("\ntime of each part:")
    for part in sorted(parts.values(), key=lambda part: -part.seconds):
        print(f"  {part.name:22} {part.result:9} {part.seconds:7.1f} s {part.processor:8.1f} s of processor time")
    print(f"  {'all':22} {'':9} {time.monotonic() - began:7.1f} s")
    times = [item for item in stamps.load("times.json").items() if isinstance(item[1], float)]
    slowest = sorted(times, key=lambda item: -item[1])[:10]
    if slowest:
        print("ten slowest Rust tests:")
        for name, seconds in slowest:
            print(f"  {seconds:6.1f} s {name}")
    skipped = stamps.STATE / "skipped.log"
    lines = set(skipped.read_text(errors="replace").splitlines()) if skipped.exists() else set()
    closing = []
    told = stamps.load("skips.json")
    for part in parts.values():
        if part.process or part.result == "unchanged":
            lines.update(told.get(part.name, []))
        if part.process:
            closing += [line for line in part.output().splitlines() if CLOSING.match(line) and " 0 passed; 0 failed" not in line]
    flaky = {line for part in parts.values() if part.process for line in part.output().splitlines() if line.startswith("flaky: ")}
    print(f"flaky: {len(flaky)}")
    for line in sorted(flaky):
        print(f"  {line}")
    print(f"skipped: {len(lines)}")
    for line in sorted(lines):
        print(f"  {line}")
    bad = [part.name for part in parts.values() if part.result in ("failed", "not run")]
    print(colour("failed", "failed: " + ", ".join(bad)) if bad else colour("passed", "all parts passed"))
    if closing:
        print("closing lines of the test runners:")
        print("\n".join(closing))
    return 1 if bad else 0


def main():
    arguments = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    arguments.add_argument("suite", choices=["test", "long", "check"], help="the list of parts to run")
    arguments.add_argument("--part", action="append", default=[], metavar="NAME",
                           help="run only this part and those that it needs; repeat it, or name several in one word")
    arguments.add_argument("--force", action="store_true", help="run all parts, also those whose inputs have not changed")
    arguments.add_argument("--list", action="store_true", help="print the parts and end")
    chosen = arguments.parse_args()
    with (ROOT / "tools/suite/parts.toml").open("rb") as file:
        suites = tomllib.load(file)
    tables = {name: {**suites[table["like"]][name], **table} if "like" in table else table
              for name, table in suites[chosen.suite].items()}
    validate(tables)
    names = [name for names in chosen.part for name in names.split()]
    if chosen.part and not names:
        sys.exit("suite: --part names no part")
    if os.environ.get("CARGO_TARGET_DIR"):
        sys.exit("suite: CARGO_TARGET_DIR is set; unset it, because the parts use the programs in target/debug")
    wanted = needed(tables, names) if names else set(tables)
    if chosen.list:
        print(f"{'part':22} {'min':>4} promise")
        for name, table in tables.items():
            print(f"{name:22} {table.get('minutes', ''):>4} {table['promise']}")
        return 0
    LOGS.mkdir(parents=True, exist_ok=True)
    lock = (stamps.STATE / "lock").open("w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        sys.exit("suite: another run is going on in this checkout; wait for its end")
    shutil.rmtree(LOGS, ignore_errors=True)
    LOGS.mkdir()
    (stamps.STATE / "skipped.log").unlink(missing_ok=True)
    os.environ["FORCE"] = "1" if chosen.force else ""
    shared = environment()
    parts = {name: Part(name, table, shared) for name, table in tables.items() if name in wanted}
    began = time.monotonic()
    print(f"suite: {len(parts)} of {len(tables)} parts, deadlines x {shared['XPUCK_SLOWNESS']}, "
          f"logs in {LOGS.relative_to(ROOT)}", flush=True)
    run(parts, chosen.force)
    stamps.remember_hashes()
    return report(parts, began)


def interrupted(number, _frame):
    """Ends the suite as Ctrl-C does."""
    raise KeyboardInterrupt


def validate(tables):
    """Rejects parts with unknown fields, lanes or names."""
    for name, table in tables.items():
        unknown = [*(set(table) - FIELDS), *(after for after in table.get("after", []) if after not in tables)]
        if table.get("lane", "back") not in LANES:
            unknown.append(table["lane"])
        if unknown:
            sys.exit(f"suite: tools/suite/parts.toml: {name}: unknown {', '.join(unknown)}")


def needed(tables, names):
    """The named parts and all that they need."""
    for name in names:
        if name not in tables:
            sys.exit(f"suite: no part `{name}`; there are {', '.join(tables)}")
    found = set()
    while names:
        name = names.pop()
        if name in tables and name not in found:
            found.add(name)
            names += tables[name].get("after", [])
    return found


if __name__ == "__main__":
    if sys.stdout is None:
        # Closed: the exit code tells.
        sys.stdout = open(os.devnull, "w")
    sys.stdout.reconfigure(errors="backslashreplace")
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupted)
    try:
        sys.exit(main())
    except (KeyboardInterrupt, BrokenPipeError):
        # Nobody may be left to read the line that Python would print at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(130)
    except OSError as error:
        sys.exit(f"suite: {error}")
