//! `xpuck robots|start|pause|resume|stop`: what an operator says to a running hub.

use super::experiment::{self, ExperimentFiles};
use anyhow::{Context, Result, bail};
use clap::Args;
use std::collections::BTreeMap;
use std::path::PathBuf;
use xpuck_experiment::Plan;
use xpuck_hub_core::switchboard::phase_name;
use xpuck_lab::figure::Figure;
use xpuck_wire::Status;
use xpuck_wire::keys::Secret;
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::signed::Signed;
use xpuck_wire::socket::Sockets;
use xpuck_wire::telemetry::EngineReport;
use xpuck_wire::{file, output};

/// How long an answer may take, ms.
const TIMEOUT_MS: i32 = 3000;

/// Where the hub is.
#[derive(Args)]
pub struct HubAddress {
    /// The hub's operator address.
    #[arg(long, default_value = "tcp://127.0.0.1:7602", env = "XPUCK_HUB")]
    hub: String,
    /// An operator's or observer's key file, in `operators/` of a folder of keys; the hub's key is hub.pub of that folder.
    #[arg(long, value_name = "FILE", default_value = "keys/operators/operator.key", env = "XPUCK_KEY")]
    key: PathBuf,
    /// Use no keys, for a hub with `dev_mode = true`.
    #[arg(long, env = "XPUCK_DEV_MODE", conflicts_with = "key")]
    dev_mode: bool,
}

impl HubAddress {
    fn open(&self) -> Result<(Sockets, Option<Secret>)> {
        if self.dev_mode {
            return Ok((Sockets::new(), None));
        }
        let (sockets, secret) = Sockets::for_operator(&self.key)
            .context("no key to show the hub (--key FILE; --dev-mode for a hub without keys)")?;
        Ok((sockets, Some(secret)))
    }
}

/// Show one row a robot: state, battery, round trip, generation, best fitness.
#[derive(Args)]
pub struct RobotsArgs {
    #[command(flatten)]
    address: HubAddress,
    /// Print the whole status as JSON.
    #[arg(long)]
    json: bool,
}

/// Upload an experiment to all robots and run it when they are ready.
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
    #[command(flatten)]
    address: HubAddress,
}

/// Shows the robots.
pub fn robots(args: &RobotsArgs) -> Result<()> {
    let Reply::Status(status) = ask(&args.address, &Request::Status)? else { bail!("the hub answered something else") };
    if args.json {
        output::line(serde_json::to_string(&status)?)?;
    } else {
        print_status(&status)?;
    }
    Ok(())
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
    let (_, secret) = args.address.open()?;
    let signed = Signed::new(text, files, secret.as_ref())?;
    command(&args.address, &Request::Start { signed, seed: args.seed })
}

/// Gives a command without arguments.
pub fn command(address: &HubAddress, request: &Request) -> Result<()> {
    match ask(address, request)? {
        Reply::Refused(why) => bail!("refused: {why}"),
        _ => {
            output::line("done")?;
            Ok(())
        }
    }
}

/// Asks the hub once.
pub fn ask(address: &HubAddress, request: &Request) -> Result<Reply> {
    Ok(address.open()?.0.operator(&address.hub, TIMEOUT_MS)?.ask(request)?)
}

/// What simulates for a robot, and how fast.
pub fn engine(report: &EngineReport) -> String {
    match report {
        EngineReport { name, .. } if name.is_empty() => "-".into(),
        EngineReport { name, adapter, r_acc } if adapter.is_empty() => format!("{name}, {r_acc:.0}"),
        EngineReport { name, adapter, r_acc } => format!("{name} on {adapter}, {r_acc:.0}"),
    }
}

/// Text that a terminal shows in red.
fn red(text: &str) -> String {
    match output::is_terminal() {
        true => format!("\x1b[1;31m{text}\x1b[0m"),
        false => text.into(),
    }
}

fn print_status(status: &Status) -> Result<()> {
    let r = &status.security.refusals;
    if status.security.dev_mode {
        output::line(red("DEV MODE: no keys; whoever reaches the hub commands the swarm"))?;
    } else if r.total() > 0 {
        output::line(format_args!(
            "turned away: {} unknown keys, {} wrong roles, {} without CURVE, {} messages of revoked keys, {} under a wrong \
             name",
            r.unknown_key, r.wrong_role, r.no_curve, r.revoked, r.wrong_name
        ))?;
    }
    if status.record.starts_with("NOT RECORD") {
        output::line(red(&status.record))?;
    }
    let robots = status.robots.iter().map(|r| (r.id.as_str(), u64::from(r.log_lines_lost)));
    let lost: Vec<String> = std::iter::once(("hub", status.log_lines_lost))
        .chain(robots)
        .filter(|(_, lines)| *lines > 0)
        .map(|(who, lines)| format!("{who} {lines}"))
        .collect();
    if !lost.is_empty() {
        output::line(format_args!("log lines lost: {}", lost.join(", ")))?;
    }
    let (run, length) = (status.run_seconds / 60.0, status.run_length / 60.0);
    output::line(format_args!(
        "{}  {}  {run:.1} of {length:.1} min  segment {}  evolved {:.3}",
        if status.experiment.is_empty() { "no experiment" } else { &status.experiment },
        phase_name(status.phase),
        status.segment,
        Figure(status.evolved)
    ))?;
    output::line(
        "robot    version   state   battery    power   heat  late p99  round trip  errors  generation  best (n)     engine, r_acc",
    )?;
    for r in &status.robots {
        let state = if r.alive { format!("{:?}", r.state).to_uppercase() } else { "lost".into() };
        let trip = r.round_trip_ms.map_or("-".into(), |ms| format!("{ms:.1} ms"));
        let e = &r.evolution;
        let read = |value: Option<f32>, digits: usize, unit: &str| {
            value.map_or("-".into(), |value| format!("{value:.digits$} {unit}"))
        };
        let best = format!("{:>6.3} ({})", Figure(e.best), e.evaluations);
        output::line(format_args!(
            "{:<8} {:<9} {state:<7} {:>7}  {:>7}  {:>5}  {:>5.1} ms  {trip:>10}  {:>6}  {:>10}  {best:<12}  {}",
            r.id,
            if r.version.is_empty() { "-" } else { &r.version },
            read(r.battery_v, 2, "V"),
            read(r.power_w, 2, "W"),
            read(r.soc_c, 0, "C"),
            r.late_p99_ms,
            r.device_errors,
            e.generation,
            engine(&r.engine)
        ))?;
    }
    for (reason, count) in &status.refused_poses {
        output::line(format_args!("poses refused: {count} {reason}"))?;
    }
    for segment in status.segments.iter().filter(|s| s.number > 0) {
        output::line(format_args!("segment {}: real fitness {:.3}", segment.number, Figure(segment.fitness)))?;
    }
    Ok(())
}
