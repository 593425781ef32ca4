"""Runs the benches, cocotb on Icarus: `bench.py [--core NAME] [--faults] [--long] [--wave]`.

A bench is `cores/<core>/sim/test_<bench>.py`; its top is `<bench>_bench.v` in the same folder, else `<core>_bench.v`,
else the module of its name. Each test runs in a new simulation, because the logic has no reset: its power-up state is
part of the tests.

The environment variable SEED changes the random seed of all tests, BUILD the folder for working files.
"""

import argparse
import ast
import concurrent.futures
import copy
import os
import pathlib
import sys
import time
import xml.etree.ElementTree as xml

sys.dont_write_bytecode = True
import faults  # noqa: E402

try:
    from cocotb_tools.runner import get_runner
except ImportError:
    sys.exit("bench: cocotb is missing: python -m pip install cocotb==2.1.0")

ROOT = faults.ROOT
WORK = pathlib.Path(os.environ.get("BUILD", ROOT.parent / "target/fpga/sim")).resolve()
SEED = int(os.environ.get("SEED", "1"))
JOBS = 2
LONG = 20  # number of seeds of a long run
# Second name of the bench of the pads, which then tests the iCE40's pads with yosys's simulation cells.
PADS = "pads_ice40"
CELLS = pathlib.Path("/usr/share/yosys/ice40/cells_sim.v")
FAIR = ("AssertionError", "SimTimeoutError")  # error types of a failed test


def benches(only):
    """Triples of core, bench and test, filtered by --core."""
    found = []
    for path in sorted(ROOT.glob("cores/*/sim/test_*.py")):
        core, bench = path.parent.parent.name, path.stem.removeprefix("test_")
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.AsyncFunctionDef) and any("test" in ast.unparse(d) for d in node.decorator_list):
                for name in [bench, PADS] if bench == "pads" else [bench]:
                    if only is None or only in (core, name, f"{name}.{node.name}"):
                        found.append((core, name, node.name))
    return found


def build(core, bench, root, folder, wave=False):
    """Compiles a bench's logic from `root` (`fpga/` or a copy). Returns runner and top; RuntimeError if it fails."""
    folder.mkdir(parents=True, exist_ok=True)
    unused = "pads_model.v" if bench == PADS else "pads_ice40.v"
    sources = [path for path in sorted(root.glob("cores/*/rtl/*.v")) if path.name != unused]
    if bench == PADS:
        sources.append(CELLS)
    top = bench
    for harness in (root / f"cores/{core}/sim/{name}_bench.v" for name in (bench, core)):
        if harness.exists():
            top = harness.stem
            sources.append(harness)
            break
    runner = get_runner("icarus")
    runner.build(
        sources=sources, includes=[root / "include"], hdl_toplevel=top, build_dir=folder, always=True, waves=wave,
        timescale=("1ns", "1ps"), log_file=folder / "build.log", defines={"NO_ICE40_DEFAULT_ASSIGNMENTS": 1},
    )  # fmt: skip
    return runner, top


def run(built, bench, test, folder, seed, wave=False):
    """Runs one test. Returns the failure, or None, and the duration [s]."""
    # A runner keeps the state of its last test, so each test has a copy.
    runner, top = copy.copy(built[0]), built[1]
    began = time.monotonic()
    folder.mkdir(parents=True, exist_ok=True)
    dump = folder / f"{test}.fst"
    try:
        results = runner.test(
            hdl_toplevel=top, test_module="test_pads" if bench == PADS else f"test_{bench}", waves=wave,
            test_filter=rf"\.{test}$", test_dir=folder,
            results_xml=str(folder / f"{test}.xml"), log_file=folder / f"{test}.log",
            extra_env={"SEED": str(seed), "PYTHONDONTWRITEBYTECODE": "1"},
            plusargs=[f"+dumpfile_path={dump}"] if wave else [],
        )  # fmt: skip
    except (RuntimeError, SystemExit) as problem:
        return f"did not run: {problem}", time.monotonic() - began
    return verdict(results, test), time.monotonic() - began


def verdict(results, test):
    """Failure of a test in a file of results; None if it passed."""
    if not results.exists():
        return "did not run"
    cases = [case for case in xml.parse(results).getroot().iter("testcase") if case.get("name") == test]
    if len(cases) != 1 or cases[0].find("skipped") is not None:
        return "did not run"
    for kind in ("failure", "error"):
        for element in cases[0].iter(kind):
            return f"{element.get('type') or kind}: {element.get('message') or element.text or ''}"
    return None


def all_benches(options):
    """Runs each test with its seeds. Returns the numbers of passed and failed tests."""
    seeds = range(SEED, SEED + LONG) if options.long else [SEED]
    built = {}

    def one(core, bench, test):
        folder = WORK / bench
        took = 0.0
        for seed in seeds:
            problem, seconds = run(built[bench], bench, test, folder / test, seed, options.wave)
            took += seconds
            if problem:
                return False, f"FAILED  {bench}.{test}, seed {seed}: {problem}\n        {folder / test / test}.log", took
        more = f"; {folder / test / test}.fst" if options.wave else ""
        return True, f"ok      {bench}.{test}{more}", took

    tests = benches(options.core)
    for core, bench in sorted({(core, bench) for core, bench, _ in tests}):
        try:
            built[bench] = build(core, bench, ROOT, WORK / bench, options.wave)
        except RuntimeError as problem:
            print(f"FAILED  {bench} does not translate: {problem}; {WORK / bench / 'build.log'}", flush=True)
    missing = [test for test in tests if test[1] not in built]
    passed, failed = gather(one, [test for test in tests if test[1] in built])
    return passed, failed + len(missing)


def all_faults(options):
    """Plants each fault, and requires that its test fails with a test error."""
    tests = benches(None)

    def one(number, core, fault):
        began = time.monotonic()
        check = fault["check"]
        hits = [test for test in tests if f"{test[1]}.{test[2]}" == check or (test[0] == core and test[2] == check)]
        if len(hits) != 1:
            return False, f"FAILED  {core}: {fault['name']}: {len(hits)} tests are called {check}", 0.0
        _, bench, test = hits[0]
        folder = WORK / f"fault-{number}"
        try:
            with faults.Planted(fault) as planted:
                built = build(hits[0][0], bench, planted, folder)
                problem, _ = run(built, bench, test, folder, SEED)
        except (RuntimeError, SystemExit) as problem:
            return False, f"FAILED  {core}: {fault['name']}: {problem}; {folder / 'build.log'}", 0.0
        seconds = time.monotonic() - began
        if problem is None:
            return False, f"FAILED  {core}: {fault['name']}: {bench}.{test} passes", seconds
        if not problem.startswith(FAIR):
            return False, f"FAILED  {core}: {fault['name']}: {bench}.{test}: {problem}", seconds
        return True, f"found   {core}: {fault['name']}, by {bench}.{test}", seconds

    listed = [(core, fault) for core, fault in faults.listed("sim") if options.core in (None, core)]
    return gather(one, [(number, *entry) for number, entry in enumerate(listed)])


def gather(one, tasks):
    """Runs `one` for each of the tasks, two at a time, prints its line, and counts the results."""
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        for done in concurrent.futures.as_completed([pool.submit(one, *task) for task in tasks]):
            good, line, seconds = done.result()
            first, *rest = line.split("\n")
            print("\n".join([f"{first}  {seconds:.1f} s", *rest]), flush=True)
            passed, failed = passed + good, failed + (not good)
    return passed, failed


def main():
    parser = argparse.ArgumentParser(description="Runs the benches of the logic.")
    parser.add_argument("--core", help="only a core, a bench, or a test as bench.test")
    parser.add_argument("--faults", action="store_true", help="plants faults and demands that tests find them")
    parser.add_argument("--long", action="store_true", help=f"{LONG} seeds")
    parser.add_argument("--wave", action="store_true", help="keeps the waves of each test")
    options = parser.parse_args()
    began = time.monotonic()
    # The runner passes this path on to the simulations.
    sys.path[:0] = [str(ROOT / "sim"), *map(str, ROOT.glob("cores/*/sim"))]
    print(f"bench: seed {SEED}" + (f" to {SEED + LONG - 1}" if options.long else ""), flush=True)
    passed, failed = (all_faults if options.faults else all_benches)(options)
    print(f"bench: {passed} passed, {failed} failed ({time.monotonic() - began:.0f} s)", flush=True)
    # A run without tests is a failure.
    sys.exit(1 if failed or not passed else 0)


if __name__ == "__main__":
    main()
