//! `xpuck start|pause|resume|next|stop`: what an operator has a running hub do, and what the robots did then.

use super::experiment::{self, ExperimentFiles};
use super::hub_address::HubAddress;
use anyhow::{Context, Result, bail};
use clap::Args;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use xpuck_experiment::Plan;
use xpuck_hub_core::switchboard::phase_name;
use xpuck_wire::message::{Reply, Request, State};
use xpuck_wire::signed::Signed;
use xpuck_wire::socket::OperatorLink;
use xpuck_wire::{Phase, Status, file, output};

/// How long robots may take to obey a command, wall time. They are told again five times a second.
const OBEY: Duration = Duration::from_secs(5);
/// Who waits longer for a run to begin is told for whom.
const PATIENCE: Duration = Duration::from_secs(1);
/// The hub is asked so often how it stands.
const EVERY: Duration = Duration::from_millis(100);

/// Upload an experiment to all robots, run it when they are ready, and say whether it runs.
///
/// The hub waits up to 30 s of arena time for robots that are not ready, and then begins without them. Exit code 1 if
/// nothing runs in the end.
#[derive(Args)]
pub struct StartArgs {
    /// The experiment file.
    experiment: PathBuf,
    /// Files to send along. Those that the experiment names (worlds, primitive sets, controllers) are taken from beside its
    /// file unless they are given here.
    #[arg(long = "with", value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Seed of the run.
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Wait at most so many seconds of the wall clock for the run to begin; 0 does not wait.
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    wait: u64,
    #[command(flatten)]
    address: HubAddress,
}

/// Starts a run.
pub fn start(args: &StartArgs) -> Result<()> {
    let mut given = BTreeMap::new();
    for path in &args.files {
        let name = path.file_name().and_then(|n| n.to_str()).with_context(|| format!("{}: no file", path.display()))?;
        if given.insert(name.to_string(), file::text(path, file::MAX_TOML)?).is_some() {
            bail!("--with names two files `{name}`");
        }
    }
    let ExperimentFiles { text, experiment, files } = experiment::read(&args.experiment, given)?;
    Plan::new(&experiment, &files, None).with_context(|| args.experiment.display().to_string())?;
    let (link, secret) = args.address.open()?;
    let signed = Signed::new(text, files, secret.as_ref())?;
    let before = status(&link)?.events.last().cloned();
    obeyed(&link, &Request::Start { signed, seed: args.seed })?;
    let begun = Instant::now();
    let until = begun + Duration::from_secs(args.wait);
    let (mut told, mut running_since) = (false, None);
    loop {
        let status = status(&link)?;
        match status.phase {
            Phase::Preparing if Instant::now() < until => {
                if !told && begun.elapsed() > PATIENCE {
                    told = true;
                    let waits: Vec<&str> = status
                        .robots
                        .iter()
                        .filter(|r| r.state != State::Ready || !r.alive)
                        .map(|r| r.id.as_str())
                        .collect();
                    output::note(format_args!("xpuck: waiting for {} to be ready", waits.join(", ")));
                }
                std::thread::sleep(EVERY);
            }
            Phase::Preparing if args.wait == 0 => return say("preparing: the run begins when the robots are ready"),
            Phase::Preparing => bail!(
                "not running after {} s: {}; the hub still waits, `xpuck stop` ends that",
                args.wait,
                absent(&status)
            ),
            Phase::Idle => bail!("not running: {}", since(&status, before.as_deref())),
            // Robots are told five times a second.
            Phase::Running if Instant::now() < obeyed_by(&mut running_since) && !all_run(&status) => {
                std::thread::sleep(EVERY)
            }
            phase => {
                let running = status.robots.iter().filter(|r| r.alive && r.state == State::Run).count();
                return say(&format!(
                    "{}: {} on {running} of {} robots, {:.1} minutes; {}",
                    phase_name(phase),
                    status.experiment,
                    status.robots.len(),
                    status.run_length / 60.0,
                    since(&status, before.as_deref())
                ));
            }
        }
    }
}

/// Until when robots are waited for that have been told to run since `since`, which begins now if it has not.
fn obeyed_by(since: &mut Option<Instant>) -> Instant {
    *since.get_or_insert_with(Instant::now) + OBEY
}

fn all_run(status: &Status) -> bool {
    status.robots.iter().filter(|robot| robot.alive).all(|robot| robot.state == State::Run)
}

fn say(text: &str) -> Result<()> {
    Ok(output::line(text)?)
}

/// What the hub said last, if that is not what it said before.
fn since(status: &Status, before: Option<&str>) -> String {
    let new = status.events.last().filter(|last| Some(last.as_str()) != before);
    // The time stands in front.
    let text = new.map(|event| event.split_once(' ').map_or(event.as_str(), |(_, text)| text));
    text.unwrap_or("the hub does not say why").to_string()
}

/// Which robots are not there.
fn absent(status: &Status) -> String {
    let gone: Vec<&str> = status.robots.iter().filter(|robot| !robot.alive).map(|robot| robot.id.as_str()).collect();
    match gone.is_empty() {
        true => "the robots are there and not ready".into(),
        false => format!("{} absent: switch on, or start xpuckd", gone.join(", ")),
    }
}

fn status(link: &OperatorLink) -> Result<Status> {
    match link.ask(&Request::Status)? {
        Reply::Status(status) => Ok(*status),
        _ => bail!("the hub answered something else"),
    }
}

/// Has the hub do something.
fn obeyed(link: &OperatorLink, request: &Request) -> Result<()> {
    match link.ask(request)? {
        Reply::Refused(why) => bail!("refused: {why}"),
        _ => Ok(()),
    }
}

/// Gives a command without arguments, and says what the robots did.
pub fn command(address: &HubAddress, request: &Request) -> Result<()> {
    let (link, _) = address.open()?;
    obeyed(&link, request)?;
    let wanted = |robot: State, phase: Phase| match (request, phase) {
        (Request::Pause, _) | (_, Phase::Resting | Phase::Relocating | Phase::Blind | Phase::Paused) => {
            robot == State::Pause
        }
        (Request::Stop, _) | (_, Phase::Finished) => matches!(robot, State::Stop | State::Idle),
        _ => robot == State::Run,
    };
    let until = Instant::now() + OBEY;
    loop {
        // A demo's hub ends when its run does.
        let Ok(status) = status(&link) else { return say("done; the hub has ended since") };
        let there: Vec<_> = status.robots.iter().filter(|robot| robot.alive).collect();
        let slow: Vec<&str> = there.iter().filter(|r| !wanted(r.state, status.phase)).map(|r| r.id.as_str()).collect();
        let phase = phase_name(status.phase);
        match there.len() {
            0 => return say(&format!("{phase}; no robot is there to obey")),
            all if slow.is_empty() => {
                let did = match request {
                    Request::Pause => "stand still",
                    Request::Stop => "have stopped",
                    _ if matches!(status.phase, Phase::Running) => "run",
                    _ => "obeyed",
                };
                return say(&format!("{phase}: {all} of {} robots {did}", status.robots.len()));
            }
            _ if Instant::now() >= until => bail!(
                "{phase}, but {} did not obey within {} s; `xpuck robots` shows how they are",
                slow.join(", "),
                OBEY.as_secs()
            ),
            _ => std::thread::sleep(EVERY / 2),
        }
    }
}
