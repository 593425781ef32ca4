//! Sweeps that several processes share, and jobs for Slurm. A script replaces Slurm and runs each task immediately.

use super::{SMALL, Sweep, wait};
use crate::common::processes;
use crate::rig::valid_json;
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

fn error(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn processes_share_runs_and_collect_lists_missing() {
    let whole = Sweep::new(SMALL);
    whole.json(&["run"]);
    let shared = Sweep::new(SMALL);
    // Two processes start at the same time, so both may try to create the folder of the sweep.
    let started = ["1", "p2-s1"].map(|only| {
        let mut command = shared.command();
        command.args(["--only", only]).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
    });
    for child in started {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success() && output.stdout.starts_with(b"1 of 1 run done"), "{}", error(&output));
    }
    assert!(!shared.out().join("results.csv").exists());
    let collected = shared.command_to("collect").arg("--json").output().unwrap();
    let found = valid_json("sweep collect", &collected.stdout);
    assert_eq!((collected.status.code(), &found["done"], &found["runs"]), (Some(75), &2.into(), &4.into()));
    assert_eq!(found["missing"][1], serde_json::json!({ "run": "p2-s2", "why": "not started" }));
    assert!(
        error(&collected).contains("p1-s2 is missing: not started")
            && error(&collected).contains("2 of 4 runs missing")
    );
    assert_eq!(shared.rows("results.csv").len(), 1 + 2);
    let others = shared.json(&["run", "--only", "3-4"]);
    assert_eq!((&others["runs"], &others["done"]), (&2.into(), &2.into()));
    assert_eq!(shared.json(&["collect"])["done"], 4);
    assert_eq!(shared.rows("results.csv"), whole.rows("results.csv"));
    let nine = shared.run(&["--only", "9"]);
    assert!(nine.status.code() == Some(1) && error(&nine).contains("--only 9: must be a run of the plan, 1 to 4"));
    // The sweep's file has other settings than the existing runs, so the command rejects it.
    shared.write(&SMALL.replace("generations = 2", "generations = 3"));
    let changed = shared.run(&["--only", "1"]);
    assert!(error(&changed).contains("started with another points/p1.toml"), "{}", error(&changed));
}

#[test]
fn run_locked_by_other_process_is_awaited() {
    let sweep = Sweep::new(SMALL);
    sweep.json(&["run", "--only", "2"]);
    let log = sweep.out().join("runs/p1-s1.log");
    let held = File::create(&log).unwrap();
    held.lock().unwrap();
    let collected = sweep.command_to("collect").output().unwrap();
    assert!(error(&collected).contains("p1-s1 is missing: running"), "{}", error(&collected));
    let said = sweep.dir.path().join("said");
    let start = || {
        let said = File::create(&said).unwrap();
        sweep.command().args(["--only", "1"]).stdout(Stdio::null()).stderr(said).spawn().unwrap()
    };
    let says = || fs::read_to_string(&said).unwrap();
    let mut stopped = start();
    wait("that it waits", || says().contains("p1-s1: another process is running it; waiting"));
    assert!(Command::new("kill").arg(stopped.id().to_string()).status().unwrap().success());
    assert_eq!(stopped.wait().unwrap().code(), Some(75), "{}", says());
    let mut patient = start();
    wait("that it waits", || says().contains("waiting"));
    drop(held);
    assert!(patient.wait().unwrap().success(), "{}", says());
}

#[test]
fn stopped_run_is_not_a_failure() {
    let sweep = Sweep::new(&SMALL.replace("generations = 2", "generations = 100000"));
    for (signal, says) in [("-TERM", "stopped with 0 of 1 run done"), ("-KILL", "p1-s1: killed by signal 9")] {
        let mut command = sweep.command();
        command.args(["--only", "1"]).stdout(Stdio::null()).stderr(Stdio::piped());
        let child = command.spawn().unwrap();
        let folder = sweep.out().join("runs/p1-s1").display().to_string();
        let runs = || processes(&["evolve", &folder]).first().copied();
        wait("a run with a checkpoint", || runs().is_some() && Path::new(&folder).join("checkpoint-1").exists());
        assert!(Command::new("kill").args([signal, &runs().unwrap().to_string()]).status().unwrap().success());
        let output = child.wait_with_output().unwrap();
        assert!(output.status.code() == Some(75) && error(&output).contains(says), "{}", error(&output));
    }
}

/// Makes scripts that replace the commands of Slurm, and returns a `PATH` with them. `sbatch` runs the tasks of a job
/// array one after the other. The first call of `sbatch` skips the tasks that the file `cancelled` lists. `squeue`
/// prints the file `queue`.
fn slurm(folder: &Path) -> String {
    let bin = folder.join("bin");
    fs::create_dir(&bin).unwrap();
    let sbatch = r#"#!/bin/sh
here=$(dirname "$0")/..
echo "$@" >>"$here/sent"
grep -q TOO_LONG "$2" && { echo "sbatch: error: Requested time limit is invalid" >&2; exit 1; }
export SLURM_JOB_ID=7 SLURM_ARRAY_TASK_ID SLURMD_NODENAME=n1
for script in "$@"; do :; done
case $script in
array.sbatch)
    for SLURM_ARRAY_TASK_ID in $(seq "$(sed -n 's/^#SBATCH --array=1-//p' array.sbatch)"); do
        grep -qx $SLURM_ARRAY_TASK_ID "$here/cancelled" 2>/dev/null || sh array.sbatch >>task-$SLURM_ARRAY_TASK_ID.out 2>&1
    done
    rm -f "$here/cancelled" ;;
*) sh collect.sbatch >>collect.out 2>&1 ;;
esac
echo "7;cluster"
"#;
    let squeue = "#!/bin/sh\ncat \"$(dirname \"$0\")/../queue\" 2>/dev/null || true\n";
    for (name, text) in [("sbatch", sbatch), ("squeue", squeue)] {
        fs::write(bin.join(name), text).unwrap();
        fs::set_permissions(bin.join(name), fs::Permissions::from_mode(0o755)).unwrap();
    }
    format!("{}:{}", bin.display(), std::env::var("PATH").unwrap())
}

#[test]
fn submitted_sweep_repeats_missing_runs() {
    let whole = Sweep::new(SMALL);
    whole.json(&["run"]);
    let sweep = Sweep::new(SMALL);
    let path = slurm(sweep.dir.path());
    let out = sweep.dir.path().join("it's shared");
    let send = |more: &[&str]| {
        let mut command = crate::common::xpuck();
        command.args(["sweep", "slurm"]).arg(sweep.dir.path().join("s.toml")).arg("--output").arg(&out);
        command.env("PATH", &path).args(more).output().unwrap()
    };
    // Slurm cancels task 2. The job that collects the results submits its missing run again.
    fs::write(sweep.dir.path().join("cancelled"), "2\n").unwrap();
    let sent = send(&["--json", "--time", "90", "--mem=2G", "--partition", "long", "--sbatch=--qos=high"]);
    let told = valid_json("sweep slurm", &sent.stdout);
    assert_eq!((&told["runs"], &told["tasks"], &told["array"]), (&4.into(), &4.into(), &"7".into()), "{told}");
    let read = |name: &str| fs::read_to_string(out.join(name)).unwrap();
    let lines = fs::read_to_string(sweep.dir.path().join("sent")).unwrap();
    let one = "--parsable array.sbatch\n--parsable --dependency=afterany:7 collect.sbatch\n";
    assert_eq!(lines, [one, one].concat(), "{}", read("slurm/collect.out"));
    assert!(read("slurm/collect.out").contains("p2-s1 is missing: not started"), "{}", read("slurm/collect.out"));
    assert!(read("slurm/task-1.out").contains("task 1 on n1, start 1: p1-s1\n1 of 1 run done"));
    assert_eq!(read("slurm/tasks"), "p2-s1\n", "the second time");
    let best = |text: String| text.lines().map(|line| line.split(',').nth(3).map(String::from)).collect::<Vec<_>>();
    assert_eq!(best(read("results.csv")), best(whole.read("results.csv")));
    let again = send(&[]);
    assert!(
        again.status.success() && error(&again).contains("4 of 4 are done: nothing to submit"),
        "{}",
        error(&again)
    );
}

#[test]
fn job_scripts_are_valid_and_errors_reported() {
    let sweep = Sweep::new(SMALL);
    let path = slurm(sweep.dir.path());
    let send = |more: &[&str]| sweep.command_to("slurm").args(more).env("PATH", &path).output().unwrap();
    let written =
        send(&["--no-send", "--jobs=2", "--threads", "3", "--gres", "gpu:a100:1", "--account=me", "--time=1-0"]);
    assert!(written.stdout.starts_with(b"4 runs in 2 tasks, not submitted"), "{}", error(&written));
    let array = sweep.read("slurm/array.sbatch");
    for line in ["--array=1-2", "--cpus-per-task=6", "--gres=gpu:a100:1", "--account=me", "--time=1-0", "--requeue"] {
        assert!(array.contains(&format!("#SBATCH {line}\n")), "{line}: {array}");
    }
    assert!(array.contains("--jobs=2 --threads=3 --engine gpu --only \"$runs\""), "{array}");
    assert!(!sweep.read("slurm/collect.sbatch").contains("#SBATCH --gres"));
    assert_eq!(sweep.read("slurm/tasks"), "p1-s1 p2-s1\np1-s2 p2-s2\n");
    for name in ["array.sbatch", "collect.sbatch", "again.sh"] {
        let checked = Command::new("sh").arg("-n").arg(sweep.out().join("slurm").join(name)).output().unwrap();
        assert!(checked.status.success(), "{name}: {}", error(&checked));
    }
    for (wrong, says) in [
        (&["--time", "an hour"][..], "must be minutes"),
        (&["--mem", "lots"], "such as 2G"),
        (&["--partition", "a b"], "one word"),
        (&["--sbatch=--partition=TOO_LONG"], "sbatch rejected the job: sbatch: error: Requested time limit is invalid"),
    ] {
        let refused = send(wrong);
        assert!(!refused.status.success() && error(&refused).contains(says), "{wrong:?}: {}", error(&refused));
    }
    let nowhere = sweep.command_to("slurm").env("PATH", "/nowhere").output().unwrap();
    assert!(error(&nowhere).contains("or use --no-send to write only the scripts"), "{}", error(&nowhere));
    // The command submits no new jobs while jobs of an earlier call exist.
    fs::write(sweep.out().join("slurm/sent.json"), r#"{"array":"12","collect":"13","done":0}"#).unwrap();
    fs::write(sweep.dir.path().join("queue"), "12_1 RUNNING\n").unwrap();
    assert!(
        error(&send(&[]))
            .contains("job 12 is still doing its runs; wait for it, or cancel it: scancel --name=xpuck-small")
    );
    fs::remove_file(sweep.dir.path().join("queue")).unwrap();
    // With --if-progress, the command submits no runs if the last job completed no run.
    let fruitless = send(&["--if-progress"]);
    assert!(error(&fruitless).contains("4 of 4 runs are missing, and none was done since job 12 was submitted"));
}
