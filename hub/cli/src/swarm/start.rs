//! `xpuck start`: starts an experiment, and checks that the robots run it.

use crate::files::experiment::{self, ExperimentFiles};
use crate::link::hub_address::{HubAddress, have, status};
use crate::swarm::acks::Obedience;
use crate::swarm::swarm_state;
use crate::terminal::print_json;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use xpuck_experiment::Plan;
use xpuck_hub_core::switchboard::phase_name;
use xpuck_wire::message::{Request, State};
use xpuck_wire::signed::Signed;
use xpuck_wire::{Phase, Status, escape, file, output};

/// Maximum wait until all robots have acknowledged RUN (wall time). The hub repeats the directive five times a
/// second.
const ACK_TIMEOUT: Duration = Duration::from_secs(3);
/// Time after which the robots that are not ready are reported, if the run has not begun.
const NOTICE_DELAY: Duration = Duration::from_secs(1);
/// Interval between two status requests.
const EVERY: Duration = Duration::from_millis(100);

/// Upload an experiment to all robots, run it when the robots are ready, and report whether it runs.
///
/// The hub waits up to 30 s of arena time for robots that are not ready, and then begins the run without them. Exit
/// code 1 if the run does not start.
#[derive(Args)]
pub struct StartArgs {
    /// Experiment file.
    experiment: PathBuf,
    /// Additional file to send; can be repeated. Files that the experiment names (worlds, primitive sets,
    /// controllers) are read from the folder of the experiment file, unless they are given with this option.
    #[arg(long = "with", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Seed of the run.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Start even if the hub predicts that a battery will be empty before the run ends.
    #[arg(long)]
    anyway: bool,
    /// Maximum wait for the run to begin (s of wall time).
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    wait: u64,
    /// Return as soon as the hub has accepted the experiment, without waiting for the robots; same as --wait 0.
    #[arg(long, conflicts_with = "wait")]
    no_wait: bool,
    /// Print the acknowledgement of each robot as one JSON object.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    address: HubAddress,
}

/// Sends the experiment to the hub, waits until the run begins, and prints the result.
pub fn start(args: &StartArgs) -> Result<()> {
    let mut given = BTreeMap::new();
    for path in &args.files {
        let name =
            path.file_name().and_then(|n| n.to_str()).with_context(|| format!("{}: is not a file", path.display()))?;
        if given.insert(name.to_string(), file::text(path, file::MAX_TOML)?).is_some() {
            bail!("--with has two files named `{name}`; rename one of them, or leave it out");
        }
    }
    let ExperimentFiles { text, experiment, files } = experiment::read(&args.experiment, given)?;
    Plan::new(&experiment, &files, None).with_context(|| args.experiment.display().to_string())?;
    let (link, secret) = args.address.open()?;
    let signed = Signed::new(text, files, secret.as_ref())?;
    let before = status(&link)?.events.last().cloned();
    let seed = args.seed;
    let request = match args.anyway {
        true => Request::StartAnyway { signed, seed },
        false => Request::Start { signed, seed },
    };
    have(&link, &request)?;
    let begun = Instant::now();
    let wait = if args.no_wait { 0 } else { args.wait };
    let until = begun + Duration::from_secs(wait);
    let (mut told, mut running_since) = (false, None);
    let status = loop {
        let status = status(&link)?;
        match status.phase {
            Phase::Preparing if Instant::now() < until => {
                if !told && begun.elapsed() > NOTICE_DELAY {
                    told = true;
                    output::print_error(format_args!(
                        "xpuck: waiting for {} to be ready",
                        unready_robots(&status).join(", ")
                    ));
                }
            }
            Phase::Preparing if wait == 0 => break status,
            Phase::Preparing => bail!(
                "the run did not start within {wait} s: {}; the hub is still waiting; `xpuck stop` ends the wait",
                missing_robots(&status).unwrap_or_else(|| "the robots are present, but not ready".into())
            ),
            Phase::Idle => bail!("not running: {}", new_event(&status, before.as_deref())),
            // The loop waits for missing acknowledgements, because the hub repeats RUN five times a second for robots
            // that have not received it.
            Phase::Running
                if !Obedience::from_status(&status).is_settled() && !ack_timeout_passed(&mut running_since, wait) => {}
            _ => break status,
        }
        std::thread::sleep(EVERY);
    };
    if args.json {
        return print_json(&Obedience::from_status(&status));
    }
    if status.phase == Phase::Preparing {
        return Ok(output::line("preparing: the run begins when the robots are ready")?);
    }
    output::line(told_of(&status, &new_event(&status, before.as_deref())))?;
    Ok(())
}

/// Formats a line about the run, the robots that run, and the robots that do not take part. `since` is the text of
/// the hub's last event.
fn told_of(status: &Status, since: &str) -> String {
    let running = status.robots.iter().filter(|r| r.alive && r.state == State::Run).count();
    let missing = missing_robots(status).map_or(String::new(), |missing| format!("; without {missing}"));
    format!(
        "{}: {} on {running} of {} robots, {:.1} minutes{missing}; {since}",
        phase_name(status.phase),
        escape(&status.experiment),
        status.robots.len(),
        status.run_length / 60.0,
    )
}

/// Returns whether [`ACK_TIMEOUT`] has passed since the first call, which sets `since`. Always true if `wait` is 0.
fn ack_timeout_passed(since: &mut Option<Instant>, wait: u64) -> bool {
    wait == 0 || since.get_or_insert_with(Instant::now).elapsed() > ACK_TIMEOUT
}

/// Returns the ids of the robots that are absent or not ready. Held robots need not be ready.
fn unready_robots(status: &Status) -> Vec<String> {
    let waits = status.robots.iter().filter(|r| !r.alive || !r.held && r.state != State::Ready);
    waits.map(|robot| escape(&robot.id)).collect()
}

/// Returns the text of the hub's last event, or a replacement text if it equals the event `before`.
fn new_event(status: &Status, before: Option<&str>) -> String {
    let new = status.events.last().filter(|last| Some(last.as_str()) != before);
    // An event starts with its time, which is removed.
    let text = new.map(|event| event.split_once(' ').map_or(event.as_str(), |(_, text)| text));
    escape(text.unwrap_or("the hub gives no reason"))
}

/// Formats the robots that do not take part, with reasons: `xp02 (absent: switch on, or start xpuckd)`. `None` if all
/// robots take part.
fn missing_robots(status: &Status) -> Option<String> {
    let why = |robot: &xpuck_wire::RobotRow| match swarm_state::robot_problems(robot).first() {
        _ if !robot.alive && robot.version.is_empty() => Some("absent: switch on, or start xpuckd".to_string()),
        Some(trouble) if !robot.alive || !robot.refusal.is_empty() => Some(trouble.clone()),
        _ if robot.alive && robot.held => Some("held: release it with `xpuck robot release`".into()),
        _ => None,
    };
    let missing = status.robots.iter().filter_map(|r| why(r).map(|why| format!("{} ({why})", escape(&r.id))));
    let missing: Vec<String> = missing.collect();
    (!missing.is_empty()).then(|| missing.join(", "))
}
