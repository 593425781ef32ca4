//! `xpuck sweep slurm`: writes a sweep's job scripts to its folder, and submits them.

use super::SendArgs;
use crate::files::advice::word;
use crate::files::tree_file::print;
use crate::terminal::print_json;
use anyhow::{Context, Result, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::ffi::OsStr;
use std::path::Path;
use std::process::{Command, ExitCode};
use xpuck_lab::sweep::Sweep;
use xpuck_lab::sweep::evolution::{Run, State};
use xpuck_lab::sweep::folder::write;
use xpuck_lab::sweep::slurm::{self, AGAIN, Jobs};
use xpuck_wire::output::count;
use xpuck_wire::{file, log};

/// Name of the file that records the submitted jobs, in the folder of the scripts.
const SENT: &str = "sent.json";
/// Maximum size of the file with the submitted jobs (bytes).
const MAX_SENT: u64 = 1 << 16;

/// Jobs of a sweep: an array of jobs that are requeued until their runs are complete, and a job that collects the
/// results (docs/cluster/sweeps.md). The folder must be on a disk that all nodes can access.
#[derive(Args)]
pub struct SlurmArgs {
    /// Time limit of each job; a job that exceeds the limit is requeued and continues.
    #[arg(long, value_name = "TIME", value_parser = slurm::time)]
    time: Option<String>,
    /// Memory of each job.
    #[arg(long, value_name = "SIZE", value_parser = slurm::memory)]
    mem: Option<String>,
    /// Account to charge.
    #[arg(long, value_name = "NAME", value_parser = slurm::word)]
    account: Option<String>,
    /// Partition of the jobs.
    #[arg(long, value_name = "NAME", value_parser = slurm::word)]
    partition: Option<String>,
    /// Additional resources of each task, as gpu:1; with a gpu, the engine is gpu unless --engine selects another.
    #[arg(long, value_name = "SPEC", value_parser = slurm::word)]
    gres: Option<String>,
    /// Number of runs of each task, of which --jobs run in parallel [default: --jobs, or more for an array of 1000
    /// tasks].
    #[arg(long, value_name = "N")]
    per_task: Option<std::num::NonZeroUsize>,
    /// Maximum number of tasks that run at the same time, which many sites require.
    #[arg(long, value_name = "N")]
    throttle: Option<std::num::NonZeroUsize>,
    /// Additional option of sbatch, as in --sbatch=--qos=long; may be repeated.
    #[arg(long, value_name = "OPTION", value_parser = slurm::option, allow_hyphen_values = true)]
    sbatch: Vec<String>,
    /// Write the scripts without submitting them.
    #[arg(long)]
    no_send: bool,
    /// Submit only if a run has finished since the last submission, for use by the collecting job.
    #[arg(long, hide = true)]
    if_progress: bool,
}

impl SlurmArgs {
    /// Returns whether the jobs request a GPU.
    fn wants_gpu(&self) -> bool {
        self.gres.as_deref().is_some_and(|spec| spec.split(',').any(|one| one.split(':').next() == Some("gpu")))
    }

    /// Returns the options that `sbatch` and `xpuck sweep slurm` have in common.
    fn shared(&self) -> impl Iterator<Item = String> {
        let keys =
            [("time", &self.time), ("mem", &self.mem), ("account", &self.account), ("partition", &self.partition)];
        keys.into_iter().filter_map(|(key, value)| Some(format!("--{key}={}", value.as_ref()?)))
    }

    fn options(&self) -> Vec<String> {
        self.shared().chain(self.sbatch.iter().cloned()).collect()
    }

    /// Returns these settings as options of `xpuck sweep slurm`, for the next submission.
    fn again(&self) -> Vec<String> {
        let own = [
            self.gres.as_ref().map(|spec| format!("--gres={spec}")),
            self.per_task.map(|n| format!("--per-task={n}")),
            self.throttle.map(|n| format!("--throttle={n}")),
        ];
        let others = self.sbatch.iter().map(|option| format!("--sbatch={option}"));
        self.shared().chain(own.into_iter().flatten()).chain(others).collect()
    }
}

#[derive(Serialize, Deserialize)]
struct Sent {
    /// Id of the array job.
    array: String,
    /// Id of the collecting job.
    collect: String,
    /// Number of completed runs at the time of submission.
    done: usize,
}

#[derive(Serialize, JsonSchema)]
pub struct Output<'a> {
    name: &'a str,
    folder: &'a Path,
    runs: usize,
    tasks: usize,
    array: Option<&'a str>,
    collect: Option<&'a str>,
}

/// Writes the job scripts of a sweep to its existing folder, and submits them unless --no-send is given.
pub(super) fn send(args: &SendArgs, sweep: &Sweep, path: &Path, runs: &[Run]) -> Result<ExitCode> {
    let missing: Vec<&Run> = runs.iter().filter(|run| run.state() != State::Done).collect();
    let done = runs.len() - missing.len();
    if missing.is_empty() {
        log::write_raw(format_args!(
            "xpuck: {} of {} are done: nothing to submit; `xpuck sweep collect` writes the tables",
            done, done
        ));
        return Ok(ExitCode::SUCCESS);
    }
    let folder = path.join("slurm");
    std::fs::create_dir_all(&folder).with_context(|| folder.display().to_string())?;
    let before = sent(&folder)?;
    if let Some(before) = &before {
        if is_queued(&before.array) {
            bail!(
                "{}: job {} is still doing its runs; wait for it, or cancel it: scancel --name={}",
                path.display(),
                before.array,
                slurm::job_name(&sweep.name)
            );
        }
        if args.slurm.if_progress && before.done == done {
            bail!(
                "{} of {} missing, and none was done since job {} was submitted, so they are not submitted again; fix \
                 the cause, then run the command again",
                missing.len(),
                count(runs.len(), "run is", "runs are"),
                before.array
            );
        }
    }
    let jobs = jobs(args, sweep, path)?;
    let tasks = slurm::tasks(&missing, sweep.jobs, args.slurm.per_task.map(Into::into));
    for (name, text) in [
        ("tasks", tasks.join("\n") + "\n"),
        ("again.sh", AGAIN.into()),
        ("array.sbatch", jobs.array(tasks.len())),
        ("collect.sbatch", jobs.collecting()),
    ] {
        write(&folder.join(name), text.as_bytes())?;
    }
    let sent = match args.slurm.no_send {
        true => None,
        false => {
            let array = sbatch(&folder, ["array.sbatch"])?;
            let after = format!("--dependency=afterany:{array}");
            let collect = sbatch(&folder, [after.as_str(), "collect.sbatch"]).with_context(|| {
                format!(
                    "the runs were submitted as job {array}, but the job that collects the results was not submitted"
                )
            })?;
            let sent = Sent { array, collect, done };
            write(&folder.join(SENT), &serde_json::to_vec(&sent)?)?;
            Some(sent)
        }
    };
    print_summary(args, sweep, path, missing.len(), tasks.len(), sent.as_ref())?;
    Ok(ExitCode::SUCCESS)
}

fn print_summary(
    args: &SendArgs,
    sweep: &Sweep,
    path: &Path,
    runs: usize,
    tasks: usize,
    sent: Option<&Sent>,
) -> Result<()> {
    let (array, collect) = (sent.map(|sent| &*sent.array), sent.map(|sent| &*sent.collect));
    if args.plan.json {
        let output = Output { name: &sweep.name, folder: path, runs, tasks, array, collect };
        return print_json(&output);
    }
    let what = format!("{} in {}", count(runs, "run", "runs"), count(tasks, "task", "tasks"));
    let slurm = word(&path.join("slurm"));
    let text = match sent {
        Some(Sent { array, collect, .. }) => {
            let cancel = slurm::job_name(&sweep.name);
            format!(
                "{what}: job {array}; job {collect} collects. Logs: {slurm}\n\
                 progress: xpuck sweep list {} --output {}\n\
                 cancel all: scancel --name={cancel}\n",
                word(&args.plan.file),
                word(path)
            )
        }
        None => format!(
            "{what}, not submitted. To submit them: cd {slurm} && sbatch --dependency=afterany:$(sbatch --parsable \
             array.sbatch) collect.sbatch\n"
        ),
    };
    print(text.as_bytes())
}

fn jobs(args: &SendArgs, sweep: &Sweep, path: &Path) -> Result<Jobs> {
    let absolute = |path: &Path| path.canonicalize().with_context(|| path.display().to_string());
    let program = std::env::current_exe()?;
    let (file, out) = (absolute(&args.plan.file)?, absolute(path)?);
    let base = [file.display().to_string(), "--output".into(), out.display().to_string()];
    let mut engine = args.engine.options();
    if args.slurm.wants_gpu() && !args.engine.is_given() {
        engine = vec!["--engine".into(), "gpu".into()];
    }
    let threads = sweep.threads.unwrap_or(1);
    let parallel = [format!("--jobs={}", sweep.jobs), format!("--threads={threads}")];
    let line = |what: &str, more: &[&[String]]| {
        let words = base.iter().chain(more.iter().copied().flatten());
        words.fold(word(&program) + " sweep " + what, |line, one| line + " " + &word(Path::new(one)))
    };
    let own = |text: &str| vec![text.to_string()];
    Ok(Jobs {
        name: sweep.name.clone(),
        cpus: sweep.jobs * threads,
        options: args.slurm.options(),
        of_tasks: args.slurm.gres.iter().map(|spec| format!("--gres={spec}")).collect(),
        throttle: args.slurm.throttle.map(Into::into),
        only: line("run", &[&parallel, &engine, &own("--only")]),
        collect: line("collect", &[]),
        again: line("slurm", &[&parallel, &args.engine.options(), &own("--if-progress"), &args.slurm.again()]),
    })
}

fn sent(folder: &Path) -> Result<Option<Sent>> {
    let path = folder.join(SENT);
    match file::bytes(&path, MAX_SENT) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        bytes => {
            let read = bytes.map_err(anyhow::Error::from).and_then(|bytes| Ok(serde_json::from_slice(&bytes)?));
            read.with_context(|| {
                format!("{}: cannot be read; remove it if no job of this sweep is queued", path.display())
            })
            .map(Some)
        }
    }
}

/// Returns whether a job is still in Slurm's queue. A job that Slurm has forgotten, or that belongs to another
/// cluster, counts as finished.
fn is_queued(job: &str) -> bool {
    let queue = Command::new("squeue").args(["--noheader", "--jobs", job]).output();
    queue.is_ok_and(|queue| queue.status.success() && !queue.stdout.trim_ascii().is_empty())
}

/// Submits a script from its folder. Returns the job id.
fn sbatch<'a>(folder: &Path, arguments: impl IntoIterator<Item = &'a str>) -> Result<String> {
    let mut command = Command::new("sbatch");
    command.arg("--parsable").args(arguments.into_iter().map(OsStr::new)).current_dir(folder);
    let output = command.output().with_context(
        || "sbatch: run this command on a machine with Slurm's commands, or use --no-send to write only the scripts",
    )?;
    let said = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().replace('\n', "; ");
    if !output.status.success() {
        bail!("sbatch rejected the job: {}", said(&output.stderr));
    }
    // On a site with several clusters, sbatch prints the job id, a semicolon and the name of the cluster.
    Ok(said(&output.stdout).split(';').next().unwrap_or_default().to_string())
}
