//! `xpuck status`: state of the swarm in a few lines.

use crate::link::hub_address::{self, HubAddress};
use crate::swarm::summary::{self, Row};
use crate::swarm::swarm_state::troubles;
use crate::terminal::in_place::InPlace;
use crate::terminal::print_json;
use anyhow::{Error, Result, bail};
use clap::Args;
use std::time::Duration;
use xpuck_wire::output;
use xpuck_wire::output::count;
use xpuck_wire::socket::AskError;
use xpuck_wire::{Phase, Status};

/// Refresh interval of `--watch`.
const EVERY: Duration = Duration::from_secs(1);

/// Print the state of the swarm in a few lines: experiment, phase, time, fitness, robots, poses, record, last events.
///
/// Exit code 1 if there is a problem: a robot is lost or absent or refuses the experiment, a device fails, a run has
/// no poses or is not recorded, keys cannot be read, or the hub does not answer.
#[derive(Args)]
pub struct StatusArgs {
    /// Update the lines every second until Ctrl-C. If the output is not a terminal, print only lines that change.
    #[arg(long)]
    watch: bool,
    /// Print the complete status as JSON. With --watch, print one JSON line every second.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    address: HubAddress,
}

/// Runs the command.
///
/// # Errors
/// The hub does not answer, or the swarm has a problem.
pub fn run(args: &StatusArgs) -> Result<()> {
    let (link, _) = args.address.open()?;
    if args.watch {
        return watch(args, &|| hub_address::status(&link));
    }
    let status = hub_address::status(&link)?;
    if args.json {
        print_json(&status)?;
    } else {
        let colours = output::has_colours();
        summary::rows(&status).iter().try_for_each(|row| output::line(row.line(colours)))?;
    }
    match &troubles(&status)[..] {
        [] => Ok(()),
        [only] => bail!("{only}"),
        several => bail!("{}: {}", count(several.len(), "problem", "problems"), several.join("; ")),
    }
}

/// Prints the status repeatedly. If the hub has never answered, an error is returned. If the hub stops answering
/// later, it is queried again.
fn watch(args: &StatusArgs, ask: &dyn Fn() -> Result<Status>) -> Result<()> {
    let mut place = (output::is_terminal() && !args.json).then(InPlace::default);
    let colours = output::has_colours();
    let (mut heard, mut before) = (false, Vec::new());
    while !output::reader_closed() {
        let rows = match ask() {
            Ok(status) if args.json => {
                print_json(&status)?;
                Vec::new()
            }
            Ok(status) if place.is_some() => summary::rows(&status),
            Ok(status) => changes(&status),
            Err(error) if heard && is_no_answer(&error) => vec![no_answer_row(&error)],
            Err(error) => return Err(error),
        };
        heard = true;
        let lines: Vec<String> = rows.iter().map(|row| row.line(colours)).collect();
        match &mut place {
            Some(place) => place.show(&lines)?,
            None => lines.iter().filter(|line| !before.contains(*line)).try_for_each(output::line)?,
        }
        before = lines;
        std::thread::sleep(EVERY);
    }
    Ok(())
}

/// Returns the lines that are printed when they change, for an output that is not a terminal. Values that change
/// constantly are left out.
fn changes(status: &Status) -> Vec<Row> {
    let stays = |name: &str| !matches!(name, "time" | "fitness" | "poses");
    let mut rows: Vec<Row> = summary::rows(status).into_iter().filter(|row| stays(row.name)).collect();
    // A continuation line has no name. It gets the name of the line that it continues, because lines are printed one
    // by one.
    let mut name = "";
    for row in &mut rows {
        name = if row.name.is_empty() { name } else { row.name };
        row.name = name;
    }
    let goes_on = !matches!(status.phase, Phase::Idle | Phase::Finished | Phase::Preparing);
    if goes_on {
        rows.push(Row { name: "segment", text: status.segment.to_string(), bad: false });
    }
    if goes_on && !status.tracking {
        rows.push(Row { name: "poses", text: "missing".into(), bad: true });
    }
    rows
}

/// Returns whether the error is a missing answer. The hub may answer again later.
fn is_no_answer(error: &Error) -> bool {
    matches!(error.downcast_ref(), Some(AskError::NoAnswer(_)))
}

fn no_answer_row(error: &Error) -> Row {
    Row { name: "hub", text: format!("{}; retrying", output::error_chain(error.as_ref())), bad: true }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn constantly_changing_values_are_not_printed() {
        let status = Status { phase: Phase::Running, experiment: "x".into(), tracking: true, ..Status::default() };
        let later = Status { run_seconds: 9.0, evolved: 0.3, pose_age_s: Some(0.1), ..status.clone() };
        assert_eq!(changes(&status), changes(&later));
        let lost = Status { tracking: false, segment: 1, ..status.clone() };
        let (before, new) = (changes(&status), changes(&lost));
        let new: Vec<_> = new.iter().filter(|row| !before.contains(row)).map(|row| row.name).collect();
        assert_eq!(new, ["problem", "segment", "poses"]);
        let happened = Status { events: ["1.0 a", "2.0 b"].map(String::from).into(), ..status };
        let events: Vec<_> = changes(&happened).into_iter().filter(|row| row.name == "events").collect();
        assert_eq!(events.len(), 2, "each with its name: {events:?}");
    }
}
