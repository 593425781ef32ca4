"""A sweep on HyperQueue: python3 hq_sweep.py SWEEP.toml FOLDER [CORES]  (pip install hyperqueue; xpuck in the path)

Each run is a task of one core. Run it again after a crash: runs go on where they were, and those that are done stay.
"""

import json
import pathlib
import subprocess
import sys

from hyperqueue import Job, LocalCluster
from hyperqueue.cluster import WorkerConfig

# Starts the command again while it says "try again" (exit code 75) or was killed (137).
AGAIN = 'code=75; while [ $code = 75 ] || [ $code = 137 ]; do "$@"; code=$?; done; exit $code'


def main(file: pathlib.Path, folder: pathlib.Path, cores: int) -> int:
    sweep = ["xpuck", "sweep", str(file.resolve()), "--output", str(folder.resolve())]
    points = json.loads(subprocess.run([*sweep, "--list", "--json"], check=True, stdout=subprocess.PIPE).stdout)
    logs = folder.resolve() / "hyperqueue"
    logs.mkdir(parents=True, exist_ok=True)
    with LocalCluster() as cluster:
        cluster.start_worker(WorkerConfig(cores=cores))
        job = Job()
        for number in range(1, sum(point["seeds"] for point in points) + 1):
            said = {name: logs / f"run-{number}.{name}" for name in ("stdout", "stderr")}
            run = [*sweep, "--threads=1", "--only", str(number)]
            job.program(["sh", "-c", AGAIN, "again", *run], **said)
        client = cluster.client()
        # What fails is named by the collecting below.
        client.wait_for_jobs([client.submit(job)], raise_on_error=False)
    return subprocess.run([*sweep, "--collect"]).returncode


if __name__ == "__main__":
    if len(sys.argv) not in (3, 4) or not all(text.isdigit() for text in sys.argv[3:]):
        sys.exit("usage: python3 hq_sweep.py SWEEP.toml FOLDER [CORES]")
    sys.exit(main(pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), int(sys.argv[3]) if len(sys.argv) > 3 else 2))
