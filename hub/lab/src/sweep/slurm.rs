//! Scripts that execute a sweep as Slurm jobs: an array whose tasks execute the runs, and a subsequent job that
//! collects the results. This module only returns the scripts. The caller writes and submits them.

use super::evolution::Run;
use std::fmt::Write;

/// Default maximum number of tasks of an array. Slurm's default limit is 1001 (MaxArraySize).
const MAX_TASKS: usize = 1000;
/// Script that requeues a task after a stop signal or a kill. It is written next to the job scripts.
pub const AGAIN: &str = include_str!("../../../../docs/cluster/again.sh");

/// Resources and commands of the jobs. The words of commands are quoted for a shell.
#[derive(Clone, Debug, Default)]
pub struct Jobs {
    /// Name of the sweep.
    pub name: String,
    /// Number of processors of each task.
    pub cpus: usize,
    /// Options of `sbatch` for all jobs, such as `--time=60`.
    pub options: Vec<String>,
    /// Options of `sbatch` for the tasks only, such as `--gres=gpu:1`.
    pub of_tasks: Vec<String>,
    /// Maximum number of tasks that run at once.
    pub throttle: Option<usize>,
    /// Command that executes runs. The names of the runs are appended.
    pub only: String,
    /// Command that collects the results. Its exit code is 75 if some results are missing.
    pub collect: String,
    /// Command that submits unfinished runs again if there was progress since the last submission.
    pub again: String,
}

/// Returns the names of each task's runs, one line per task. Without `per_task`, a task has at least `at_least` runs,
/// and more if the sweep would otherwise have more than `MAX_TASKS` tasks.
pub fn tasks(runs: &[&Run], at_least: usize, per_task: Option<usize>) -> Vec<String> {
    let per_task = per_task.unwrap_or_else(|| at_least.max(runs.len().div_ceil(MAX_TASKS)));
    let line = |runs: &[&Run]| runs.iter().map(|run| run.name.as_str()).collect::<Vec<_>>().join(" ");
    runs.chunks(per_task.max(1)).map(line).collect()
}

/// Returns the common name of all jobs of a sweep, with which they can be cancelled.
pub fn job_name(sweep: &str) -> String {
    format!("xpuck-{sweep}")
}

impl Jobs {
    /// Returns the script of the array, with a task for each line of the file `tasks`. The file is in the script's
    /// folder.
    pub fn array(&self, tasks: usize) -> String {
        let mut text = self.head(
            "Each task executes the runs of one line of the file `tasks`, and is requeued until they are done.",
            "task-%a.out",
        );
        let throttle = self.throttle.map_or(String::new(), |most| format!("%{most}"));
        let _ = writeln!(text, "#SBATCH --array=1-{tasks}{throttle}\n#SBATCH --cpus-per-task={}", self.cpus);
        // Slurm sends the signal one minute before the time limit, and when the task is preempted or its node is
        // drained.
        text += "#SBATCH --signal=B:TERM@60\n";
        self.of_tasks.iter().for_each(|option| text += &format!("#SBATCH {option}\n"));
        let _ = write!(
            text,
            r#"set -eu
runs=$(sed -n "${{SLURM_ARRAY_TASK_ID}}p" tasks)
echo "task $SLURM_ARRAY_TASK_ID on ${{SLURMD_NODENAME:-a node}}, start $((${{SLURM_RESTART_COUNT:-0}} + 1)): $runs"
exec sh again.sh {} "$runs"
"#,
            self.only
        );
        text
    }

    /// Returns the script of the job that collects the results after the array has ended.
    pub fn collecting(&self) -> String {
        let mut text = self.head("Collects the results of the runs, and submits missing runs again.", "collect.out");
        let _ = write!(
            text,
            r"#SBATCH --cpus-per-task=1
set -eu
code=0
{} || code=$?
[ $code = 75 ] || exit $code
exec {}
",
            self.collect, self.again
        );
        text
    }

    fn head(&self, what: &str, output: &str) -> String {
        let mut text = format!(
            "#!/bin/sh\n# Written by `xpuck sweep slurm`. {what}\n#SBATCH --job-name={}\n#SBATCH --output={output}\n",
            job_name(&self.name)
        );
        text += "#SBATCH --open-mode=append\n#SBATCH --requeue\n#SBATCH --ntasks=1\n";
        self.options.iter().for_each(|option| text += &format!("#SBATCH {option}\n"));
        text
    }
}

/// Validates a time limit of Slurm: minutes, `[hours:]minutes:seconds`, or `days-hours[:minutes[:seconds]]`.
///
/// # Errors
/// If the text is invalid. The message contains the valid formats.
pub fn time(text: &str) -> Result<String, String> {
    let (days, rest) = text.split_once('-').map_or((None, text), |(days, rest)| (Some(days), rest));
    let number = |part: &str| !part.is_empty() && part.len() <= 6 && part.bytes().all(|byte| byte.is_ascii_digit());
    match days.is_none_or(number) && rest.split(':').all(number) && rest.split(':').count() <= 3 {
        true => Ok(text.into()),
        false => Err("must be minutes, hours:minutes:seconds or days-hours, such as 90, 8:00:00 or 2-12".into()),
    }
}

/// Validates an amount of memory: a number with K, M (default), G or T.
///
/// # Errors
/// If the text is invalid. The message contains the valid formats.
pub fn memory(text: &str) -> Result<String, String> {
    let digits = text.strip_suffix(['K', 'M', 'G', 'T']).unwrap_or(text);
    match (1..=12).contains(&digits.len()) && digits.bytes().all(|byte| byte.is_ascii_digit()) {
        true => Ok(text.into()),
        false => Err("must be an integer, optionally followed by K, M, G or T, such as 2G".into()),
    }
}

/// Options of `sbatch` that the scripts set themselves and users must not set. Each entry has the long name, the short
/// name, and a hint for the error message: an alternative, or the reason.
const OWN: [(&str, &str, &str); 15] = [
    ("--array", "-a", "use --throttle for the number of concurrent tasks, --per-task for the runs of a task"),
    ("--job-name", "-J", "it is the sweep's name"),
    ("--output", "-o", "the folder slurm in --output"),
    ("--error", "-e", "the folder slurm in --output"),
    ("--open-mode", "", "the output of tasks is appended"),
    ("--dependency", "-d", "the collecting job waits by itself"),
    ("--cpus-per-task", "-c", "--jobs and --threads"),
    ("--ntasks", "-n", "a task is one process"),
    ("--signal", "", "tasks receive a stop signal one minute before their time limit"),
    ("--requeue", "", "tasks continue by themselves"),
    ("--no-requeue", "", "tasks continue by themselves"),
    ("--parsable", "", "xpuck reads the numbers of the jobs"),
    ("--wrap", "", "the scripts are xpuck's"),
    ("--chdir", "-D", "tasks run in the folder slurm in --output"),
    ("--wait", "-W", "`xpuck sweep list` shows the progress"),
];

/// Validates an additional option of `sbatch`. It must be a valid [`word`], and not an option that the scripts set
/// themselves.
///
/// # Errors
/// If the option is invalid. If the scripts set the option themselves, the message contains an alternative or the
/// reason.
pub fn option(text: &str) -> Result<String, String> {
    let text = word(text)?;
    let name = text.split('=').next().unwrap_or_default();
    // Slurm accepts abbreviated long names, and short names directly followed by a value.
    let is = |long: &str, short: &str| match name.starts_with("--") {
        true => name.len() > 3 && long.starts_with(name),
        false => !short.is_empty() && name.starts_with(short),
    };
    match OWN.into_iter().find(|(long, short, _)| is(long, short)) {
        Some((long, _, instead)) => Err(format!("the scripts set {long} themselves; remove this option ({instead})")),
        None => Ok(text),
    }
}

/// Validates a word of an `#SBATCH` line.
///
/// # Errors
/// If the word contains spaces, invisible characters, quotes, `\` or `#`.
pub fn word(text: &str) -> Result<String, String> {
    let plain = |c: char| c.is_ascii_graphic() && !"'\"\\#".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => Ok(text.into()),
        false => Err("must be one word without quotes, spaces, # or \\".into()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_are_packed_into_tasks() {
        let run =
            |i: usize| Run { point: 0, seed: 1, name: format!("p1-s{i}"), file: "p1.toml".into(), folder: "f".into() };
        let runs: Vec<Run> = (1..=2500).map(run).collect();
        let runs: Vec<&Run> = runs.iter().collect();
        assert_eq!(tasks(&runs[..3], 2, None), ["p1-s1 p1-s2", "p1-s3"]);
        assert_eq!(tasks(&runs[..3], 1, Some(3)), ["p1-s1 p1-s2 p1-s3"]);
        assert_eq!(tasks(&runs, 1, None).len(), 834, "at most 1000 tasks");
    }

    #[test]
    fn throttle_limits_the_array_alone() {
        let jobs = Jobs { throttle: Some(4), ..Jobs::default() };
        assert!(jobs.array(40).contains("#SBATCH --array=1-40%4\n") && !jobs.collecting().contains("--array"));
        assert!(Jobs::default().array(40).contains("#SBATCH --array=1-40\n"));
    }

    #[test]
    fn options_are_checked_before_slurm_sees_them() {
        for good in ["90", "8:00:00", "30:00", "2-12", "1-0:30"] {
            assert!(time(good).is_ok(), "{good}");
        }
        for bad in ["", "an hour", "1:2:3:4", "1h", "-1", "5-", "1 "] {
            assert!(time(bad).is_err(), "{bad}");
        }
        assert!(memory("2G").is_ok() && memory("500").is_ok());
        assert!(memory("2 G").is_err() && memory("G").is_err() && memory("2GB").is_err());
        for own in ["--array=1-40%4", "-a1-4", "--job-name=x", "--output=x", "--dep=afterok:1", "-c4", "--wrap=ls"] {
            assert!(option(own).is_err_and(|why| why.starts_with("the scripts set --")), "{own}");
        }
        for other in ["--qos=long", "--constraint=a100", "-C", "--exclusive", "--nodes=1", "--mail-type=END"] {
            assert!(option(other).is_ok(), "{other}");
        }
        assert!(word("--constraint=a100").is_ok() && word("--x\n#SBATCH").is_err() && word("a b").is_err());
    }
}
