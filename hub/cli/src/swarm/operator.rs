//! `xpuck robot list`: state of the swarm's robots.

use crate::link::hub_address::{HubAddress, ask};
use crate::swarm::swarm_state::state;
use crate::terminal::print_json;
use anyhow::{Result, bail};
use clap::Args;
use xpuck_hub_core::switchboard::phase_name;
use xpuck_stats::figure::Figure;
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::output;
use xpuck_wire::telemetry::EngineReport;
use xpuck_wire::{Phase, Status};

/// Show one row for each robot, with state, battery, round trip, generation and best fitness.
///
/// A robot is absent if the hub has not heard it since the hub's start. A robot is lost if the hub heard it before,
/// but no longer does.
#[derive(Args)]
pub struct RobotsArgs {
    #[command(flatten)]
    address: HubAddress,
    /// Print the complete status of the hub as JSON.
    #[arg(long)]
    json: bool,
}

/// Prints the state of the robots.
pub fn robots(args: &RobotsArgs) -> Result<()> {
    let Reply::Status(status) = ask(&args.address, &Request::Status)? else { bail!("unexpected answer from the hub") };
    if args.json {
        print_json(&status)?;
    } else {
        print_status(&status)?;
    }
    Ok(())
}

/// Formats the engine of a robot's evolution, and its speed (simulated robot seconds per second).
pub fn engine(report: &EngineReport) -> String {
    match report {
        EngineReport { name, .. } if name.is_empty() => "-".into(),
        EngineReport { name, adapter, r_acc } if adapter.is_empty() => format!("{name}, {r_acc:.0}"),
        EngineReport { name, adapter, r_acc } => format!("{name} on {adapter}, {r_acc:.0}"),
    }
}

/// Returns the text in bold red if the output is a terminal, else unchanged.
fn red(text: &str) -> String {
    match output::is_terminal() {
        true => format!("\x1b[1;31m{text}\x1b[0m"),
        false => text.into(),
    }
}

fn print_status(status: &Status) -> Result<()> {
    let r = &status.security.refusals;
    if status.security.dev_mode {
        output::line(red("DEV MODE: no keys; anyone who reaches the hub can command the swarm"))?;
    } else if r.total() > 0 {
        output::line(format_args!(
            "rejected: {} unknown keys, {} wrong roles, {} without a key of this hub, {} messages of revoked keys, {} \
             under a wrong name",
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
        "robot    version   state   battery    power   heat  late p99  round trip  errors  generation  step  best (n)     engine, r_acc",
    )?;
    for r in &status.robots {
        let state = state(r);
        let trip = r.round_trip_ms.map_or("-".into(), |ms| format!("{ms:.1} ms"));
        let e = &r.evolution;
        let read = |value: Option<f32>, digits: usize, unit: &str| {
            value.map_or("-".into(), |value| format!("{value:.digits$} {unit}"))
        };
        let best = format!("{:>6.3} ({})", Figure(e.best), e.evaluations);
        output::line(format_args!(
            "{:<8} {:<9} {state:<7} {:>7}  {:>7}  {:>5}  {:>5.1} ms  {trip:>10}  {:>6}  {:>10}  {:>4}  {best:<12}  {}",
            r.id,
            if r.version.is_empty() { "-" } else { &r.version },
            read(r.battery_v, 2, "V"),
            read(r.power_w, 2, "W"),
            read(r.soc_c, 0, "C"),
            r.late_p99_ms,
            r.device_errors,
            e.generation,
            r.step,
            engine(&r.engine)
        ))?;
    }
    for (reason, count) in &status.refused_poses {
        output::line(format_args!("poses rejected: {count} {reason}"))?;
    }
    for segment in status.segments.iter().filter(|s| s.number > 0) {
        let going_on = segment.number == status.segment && !matches!(status.phase, Phase::Finished | Phase::Idle);
        let more = if going_on { " so far" } else { "" };
        let fitness = Figure(segment.fitness);
        let value = output::value_note(segment.value);
        output::line(format_args!("segment {}: real fitness {fitness:.3}{value}{more}", segment.number))?;
    }
    Ok(())
}
