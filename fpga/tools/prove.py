#!/usr/bin/env python3
"""Proves the cores' properties with yosys-smtbmc, and checks that proofs detect planted faults.

    python3 fpga/tools/prove.py [--core NAME] [--long] [--faults]

A core's `formal/proofs.toml` lists its proofs; each is a module in the file of its name in `formal/`:

    [[proof]]
    name = "order"
    clocks = 2          # number of independent clocks [default: 1]
    bmc = 20            # depth from the start [clocks; with two clocks: clock edges]
    bmc_long = 60       # depth with --long
    induction = 2       # depth of the induction; must not exceed bmc
    cover = 40          # depth within which every `cover` must be reached
    cover_long = 400    # depth with --long
    cover_from = "any"  # start from any state in which the assertions hold and no saw_* is set
    module = "bytes"    # module and file, if they have another name
    define = "FULL"     # macro for `ifdef, if a module has several sets of covers
    start = "any"       # the registers of the core (`dut`) start with arbitrary values

A proof accesses internal signals of a core through probes, wires with a path in the design:

    (* probe = "dut.write_at" *) wire [7:0] write_at;

The solver is yices (`yices-smt2` on the PATH or in the folder YICES_BIN), else z3.
"""

import argparse
import concurrent.futures
import dataclasses
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import tomllib

import faults

ROOT = pathlib.Path(__file__).resolve().parent.parent
AT_ONCE = 2
# Time limit of a proof. The slowest takes 25 s, but `make test` runs proofs at idle priority.
LIMIT_S = 600
LONG_LIMIT_S = 1800
PROBE = re.compile(r'\(\*\s*probe\s*=\s*"([^"]+)"\s*\*\)\s*wire\s*(?:\[[^\]]*\]\s*)?(\w+)\s*;')
FAILED_ASSERTION = re.compile(r"Assert failed in \w+: (\S+)")


@dataclasses.dataclass
class Proof:
    core: str
    name: str
    clocks: int = 1
    bmc: int = 0
    bmc_long: int = 0
    induction: int = 0
    cover: int = 0
    cover_long: int = 0
    cover_from: str = "start"
    module: str = ""
    define: str = ""
    start: str = "reset"

    def steps(self, long):
        """Runs of smtbmc for this proof: mode and depth."""
        found = []
        bmc = self.bmc_long if long and self.bmc_long else self.bmc
        if self.induction > bmc:
            raise SystemExit(f"{self.core}/{self.name}: bmc is shorter than induction")
        if bmc:
            found.append(("bmc", bmc))
        if self.induction:
            found.append(("induction", self.induction))
        cover = self.cover_long if long and self.cover_long else self.cover
        if cover:
            found.append(("cover", cover))
        return found


def proofs(core=None):
    found = []
    for path in sorted(ROOT.glob("cores/*/formal/proofs.toml")):
        name = path.parent.parent.name
        if core in (None, name):
            found += [Proof(core=name, **entry) for entry in tomllib.loads(path.read_text())["proof"]]
    return found


def solver():
    """Name of the solver for smtbmc, and the environment that contains it."""
    environment = dict(os.environ)
    folder = environment.get("YICES_BIN")
    if folder:
        environment["PATH"] = folder + os.pathsep + environment.get("PATH", "")
    if shutil.which("yices-smt2", path=environment["PATH"]):
        return "yices", environment
    print("prove: no yices-smt2 on the PATH or in YICES_BIN, z3 takes its place and is slower", flush=True)
    return "z3", environment


def model(proof, mode, root, folder, environment):
    """Writes the design of a proof for the solver; returns the path of its file."""
    module = proof.module or proof.name
    top = root / "cores" / proof.core / "formal" / f"{module}.v"
    rtl = [path for path in sorted(root.glob("cores/*/rtl/*.v")) if path.parent.parent.name != "pads"]
    out = folder / f"{proof.core}-{proof.name}-{mode}.smt2"
    define = f"-D{proof.define}" if proof.define else ""
    script = [
        f"read_verilog -formal -icells {define} -I{root}/include {' '.join(map(str, rtl))} {top}",
        f"hierarchy -top {module}",
        "proc",
        "flatten",
    ]
    script += [f"connect -nounset -set {wire} {place}" for place, wire in PROBE.findall(top.read_text())]
    if proof.start == "any":
        script += ["setattr -unset init w:dut.*"]
    script += ["check -assert", "opt_expr", "opt_clean", "memory_collect"]
    if mode == "cover" and proof.cover_from == "any":
        script += ["setattr -unset init w:* w:saw_* %d", "chformal -assert2assume"]
    script += ["clk2fflogic"] if proof.clocks > 1 else ["async2sync", "dffunmap"]
    script += ["opt_clean", f"write_smt2 -wires {out}"]
    done = subprocess.run(
        ["yosys", "-q", "-p", "; ".join(script)], env=environment, text=True, capture_output=True, check=False
    )
    if done.returncode:
        raise RuntimeError((done.stdout + done.stderr).strip())
    return out


@dataclasses.dataclass
class Outcome:
    proof: Proof
    mode: str
    depth: int
    passed: bool
    seconds: float
    said: str = ""
    trace: pathlib.Path | None = None

    def failed_assertion(self):
        found = FAILED_ASSERTION.search(self.said)
        return found.group(1) if found else None

    def line(self):
        text = f"{self.proof.core}/{self.proof.name} {self.mode} {self.depth}: "
        text += f"{'passed' if self.passed else 'FAILED'} in {self.seconds:.1f} s"
        return text + (f", trace {self.trace}" if self.trace else "")


def bounded(command, environment, limit):
    """Runs a command and its child processes with a time limit; returns success and the output."""
    process = subprocess.Popen(
        command, env=environment, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True
    )
    try:
        said, _ = process.communicate(timeout=limit)
        return process.returncode == 0, said
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return False, f"Error: not done within {limit} s"


def run(proof, mode, depth, root, folder, with_solver, limit=LIMIT_S):
    name, environment = with_solver
    begun = time.monotonic()
    try:
        design = model(proof, mode, root, folder, environment)
    except RuntimeError as error:
        return Outcome(proof, mode, depth, False, time.monotonic() - begun, str(error))
    trace = design.with_suffix(".vcd")
    command = ["yosys-smtbmc", "-s", name, "-t", str(depth)]
    if mode == "bmc":
        # First checks that the assumptions are satisfiable.
        command += ["--presat", "--dump-vcd", str(trace)]
    elif mode == "induction":
        command += ["-i", "--dump-vcd", str(trace)]
    else:
        command += ["-c"]
    succeeded, said = bounded([*command, str(design)], environment, limit)
    passed = succeeded and "Status: PASSED" in said
    seen = trace if trace.exists() and not passed else None
    return Outcome(proof, mode, depth, passed, time.monotonic() - begun, said, seen)


def why(outcome):
    """The lines of a failed run that state the cause."""
    lines = outcome.said.splitlines()
    found = [line for line in lines if re.search(r"ERROR|Assert failed|Unreached|Assumptions|Unexpected|Error", line)]
    return found or lines[-5:]


def prove(wanted, long, folder, with_solver):
    tasks = [(proof, mode, depth) for proof in wanted for mode, depth in proof.steps(long)]
    passed = failed = 0
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        limit = LONG_LIMIT_S if long else LIMIT_S
        running = [pool.submit(run, *task, ROOT, folder, with_solver, limit) for task in tasks]
        for done in concurrent.futures.as_completed(running):
            outcome = done.result()
            print(outcome.line(), flush=True)
            if outcome.passed:
                passed += 1
                continue
            failed += 1
            for line in why(outcome):
                print(f"    {line}", flush=True)
    print(f"prove: {passed} passed, {failed} failed", flush=True)
    return failed == 0


def turns_red(core, fault, with_solver):
    """Plants a fault; returns the failed run of the proof that must detect it, and a message."""
    by_name = {proof.name: proof for proof in proofs(core)}
    proof = by_name.get(fault["check"])
    if proof is None:
        return None, f"there is no proof {fault['check']}"
    with faults.Planted(fault) as root:
        for mode, depth in proof.steps(long=False):
            if mode == "cover":
                continue
            outcome = run(proof, mode, depth, root, root.parent, with_solver)
            if outcome.failed_assertion():
                return outcome, ""
            if not outcome.passed:
                return None, "; ".join(why(outcome))
    return None, "the proof passes"


def plant(core, with_solver):
    listed = [(name, fault) for name, fault in faults.listed("formal") if core in (None, name)]
    found = missed = 0
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        running = {pool.submit(turns_red, name, fault, with_solver): (name, fault) for name, fault in listed}
        for done in concurrent.futures.as_completed(running):
            name, fault = running[done]
            outcome, said = done.result()
            if outcome:
                found += 1
                place = pathlib.Path(outcome.failed_assertion()).name
                print(f"{name}: {fault['name']}: {fault['check']} {outcome.mode} fails at {place}", flush=True)
            else:
                missed += 1
                print(f"{name}: {fault['name']}: NOT FOUND: {said}", flush=True)
    print(f"prove: {found} faults found, {missed} not found", flush=True)
    return missed == 0


def main():
    parser = argparse.ArgumentParser(description="Proves the cores' properties.")
    parser.add_argument("--core", help="only this one's proofs")
    parser.add_argument("--long", action="store_true", help="the deeper runs")
    parser.add_argument("--faults", action="store_true", help="plant the faults and see the proofs fail")
    arguments = parser.parse_args()
    with_solver = solver()
    wanted = proofs(arguments.core)
    if not wanted:
        raise SystemExit(f"prove: no proofs of {arguments.core or 'any core'}")
    if arguments.faults:
        return plant(arguments.core, with_solver)
    # Traces are kept after the run.
    folder = pathlib.Path(tempfile.mkdtemp(prefix="xpuck-prove-"))
    passed = prove(wanted, arguments.long, folder, with_solver)
    if passed:
        shutil.rmtree(folder)
    return passed


if __name__ == "__main__":
    sys.exit(0 if main() else 1)
