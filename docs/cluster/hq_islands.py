"""Islands on HyperQueue: python3 hq_islands.py RUN.toml ISLANDS  (pip install hyperqueue; xpuck in the path)

Everything is kept beside RUN.toml. Run it again after a crash: islands go on where they were.
"""

import pathlib
import subprocess
import sys

from hyperqueue import Job, LocalCluster
from hyperqueue.cluster import WorkerConfig

# Starts the command again while it says "try again" (exit code 75) or was killed (137).
AGAIN = 'code=75; while [ $code = 75 ] || [ $code = 137 ]; do "$@"; code=$?; done; exit $code'


def main(run: pathlib.Path, islands: int) -> int:
    folder = run.resolve().parent
    server = subprocess.Popen(
        ["xpuck", "geneserver", str(run), "--listen", "tcp://127.0.0.1:*", "--json", "--islands", str(islands)]
        + ["--dir", str(folder / "geneserver")],
        stdout=subprocess.PIPE,
        text=True,
    )
    # The first line of its output says where it listens: {"listening":"tcp://127.0.0.1:41234"}.
    endpoint = server.stdout.readline().split('"')[3]
    with LocalCluster() as cluster:
        cluster.start_worker(WorkerConfig(cores=2))
        job = Job()
        for k in range(islands):
            worker = ["xpuck", "island", "--hub", endpoint, "--island", str(k), "--resume", str(folder / f"island-{k}")]
            logs = {name: folder / f"island-{k}.{name}" for name in ("stdout", "stderr")}
            job.program(["sh", "-c", AGAIN, "again", *worker, str(run.resolve())], **logs)
        client = cluster.client()
        client.wait_for_jobs([client.submit(job)])
    print(server.communicate()[0].splitlines()[-1])
    return server.returncode


if __name__ == "__main__":
    if len(sys.argv) != 3 or not sys.argv[2].isdigit():
        sys.exit("usage: python3 hq_islands.py RUN.toml ISLANDS")
    sys.exit(main(pathlib.Path(sys.argv[1]), int(sys.argv[2])))
