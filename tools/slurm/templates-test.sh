#!/bin/sh
# The templates of docs/cluster for HyperQueue, which is run, and for Kubernetes, whose manifest is checked by its form and whose
# commands are run here for each index, in any order and twice. $1 is a Python with hyperqueue and pyyaml.
set -eu
cd "$(dirname "$0")/../.."
[ -x "$1" ] || { echo "skipped: cluster templates: no Python with hyperqueue and pyyaml"; exit 0; }
PATH=$(cd "${CARGO_TARGET_DIR:-target}/debug" && pwd):$PATH
export PATH
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cp docs/sweeps/tiny.toml "$work/s.toml"
"$1" docs/cluster/hq_sweep.py "$work/s.toml" "$work/hq" 2 >"$work/hq.log" 2>&1 || { cat "$work/hq.log" >&2; exit 1; }
echo "cluster: HyperQueue did $(ls "$work"/hq/runs/*/result.json | wc -l) runs"
"$1" - "$work" <<'PYTHON'
import re, subprocess, sys, yaml

work = sys.argv[1]
runs, collect = yaml.safe_load_all(open("docs/cluster/kubernetes.yaml"))
for job in (runs, collect):
    assert (job["apiVersion"], job["kind"]) == ("batch/v1", "Job"), job
    assert re.fullmatch(r"[a-z0-9-]{1,63}", job["metadata"]["name"]), job
    spec = job["spec"]["template"]["spec"]
    assert spec["restartPolicy"] == "Never", "a podFailurePolicy wants it"
    mounts = {mount["name"] for container in spec["containers"] for mount in container["volumeMounts"]}
    assert mounts == {volume["name"] for volume in spec["volumes"]}
spec = runs["spec"]
assert spec["completionMode"] == "Indexed" and spec["backoffLimitPerIndex"] >= 1
names = {container["name"] for container in spec["template"]["spec"]["containers"]}
for rule in spec["podFailurePolicy"]["rules"]:
    assert rule["action"] in ("Ignore", "FailIndex", "FailJob", "Count"), rule
    if "onExitCodes" in rule:
        assert rule["onExitCodes"]["containerName"] in names and 0 not in rule["onExitCodes"]["values"], rule


def run(job, index=None):
    command = [word.replace("/shared", work) for word in job["spec"]["template"]["spec"]["containers"][0]["command"]]
    import os
    environment = dict(os.environ, **({} if index is None else {"JOB_COMPLETION_INDEX": str(index)}))
    return subprocess.run(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL).returncode


codes = [run(runs, index) for index in (3, 0, 3, 1)]
assert codes == [0] * 4 and run(collect) == 75 and run(runs, 2) == 0 and run(collect) == 0, codes
assert run(runs, 4) == 1, "there is no fifth run"
print("cluster: the commands of kubernetes.yaml did each index")
PYTHON
