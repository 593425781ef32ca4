//! `xpuck swarm log`: events of the hub.

use crate::link::hub_address::{self, HubAddress};
use crate::swarm::follow::{EventBatch, EventCursor};
use crate::swarm::swarm_state::clock;
use crate::terminal::print_json;
use anyhow::Result;
use clap::Args;
use std::time::Duration;
use xpuck_wire::message::{Event, Severity};
use xpuck_wire::socket::AskError;
use xpuck_wire::{escape, output};

/// Interval between two event requests.
const EVERY: Duration = Duration::from_millis(250);

/// Show events of the hub, each with the arena time since the hub's start, the severity and the author.
///
/// The hub keeps the last 1000 events. The record of a run contains all events of the run.
#[derive(Args)]
pub struct LogArgs {
    /// Continue to show new events until Ctrl-C.
    #[arg(long)]
    follow: bool,
    /// Show only events whose number is above NUMBER. --json prints the numbers.
    #[arg(long, value_name = "NUMBER", default_value_t = 0)]
    after: u64,
    /// Show only events that name this robot.
    #[arg(long, value_name = "ID")]
    robot: Option<String>,
    /// Print each event as one line of JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    address: HubAddress,
}

/// Runs the command.
///
/// # Errors
/// The hub does not answer. With --follow, silence of a hub that has answered before is not an error.
pub fn run(args: &LogArgs) -> Result<()> {
    let (link, _) = args.address.open()?;
    if !args.follow {
        return print_events(args, &hub_address::events(&link, args.after)?);
    }
    let (mut follow, mut heard, mut silent) = (EventCursor::after(args.after), false, false);
    while !output::reader_closed() {
        match hub_address::events(&link, follow.position()).map(|events| follow.apply(events)) {
            Ok(EventBatch::Events(events, lost)) => {
                if lost > 0 {
                    output::print_error(format_args!("xpuck: {lost} events are lost: the hub keeps the last 1000"));
                }
                (heard, silent) = (true, false);
                print_events(args, &events)?;
            }
            Ok(EventBatch::Anew) => {
                output::print_error("xpuck: the hub was restarted");
                continue;
            }
            Err(error) if heard && matches!(error.downcast_ref(), Some(AskError::NoAnswer(_))) => {
                if !std::mem::replace(&mut silent, true) {
                    output::print_error(format_args!("xpuck: {error}; retrying"));
                }
            }
            Err(error) => return Err(error),
        }
        std::thread::sleep(EVERY);
    }
    Ok(())
}

fn print_events(args: &LogArgs, events: &[Event]) -> Result<()> {
    let colours = output::has_colours();
    for event in events.iter().filter(|event| args.robot.as_ref().is_none_or(|robot| names(event, robot))) {
        match args.json {
            true => print_json(event)?,
            false => output::line(line(event, colours))?,
        }
    }
    Ok(())
}

/// Returns whether the text of the event contains `id` as a whole word. `id` is a robot's id or an operator's name.
fn names(event: &Event, id: &str) -> bool {
    let of_id = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
    event.text.split(|c| !of_id(c)).any(|word| word == id)
}

/// Formats an event in one line: time, level, author and text.
pub fn line(event: &Event, colours: bool) -> String {
    let (level, colour) = match event.level {
        Severity::Error => ("ERROR", "31"),
        Severity::Warn => ("WARN", "33"),
        Severity::Info => ("INFO", ""),
        Severity::Debug => ("DEBUG", "2"),
    };
    let level = match colours && !colour.is_empty() {
        true => format!("\x1b[{colour}m{level:<5}\x1b[0m"),
        false => format!("{level:<5}"),
    };
    // The author is left out if the text already contains the author's name.
    let who = match event.who.is_empty() || names(event, &event.who) {
        true => String::new(),
        false => format!("{}: ", escape(&event.who)),
    };
    format!("{:>7}  {level}  {who}{}", clock(event.time), escape(&event.text))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(level: Severity, who: &str, text: &str) -> Event {
        Event { number: 1, time: 83.4, level, who: who.into(), text: text.into() }
    }

    #[test]
    fn event_is_one_line_for_any_text() {
        let note = event(Severity::Info, "ada", "note: the lamp\nis \u{1b}[2Joff");
        assert_eq!(line(&note, true), "   1:23  INFO   ada: note: the lamp\\nis \\u{1b}[2Joff");
        assert_eq!(line(&event(Severity::Info, "ada", "paused by ada"), false), "   1:23  INFO   paused by ada");
        let lost = event(Severity::Warn, "", "robot xp03 is lost");
        assert_eq!(line(&lost, false), "   1:23  WARN   robot xp03 is lost");
        assert!(line(&lost, true).contains("\x1b[33mWARN \x1b[0m"));
    }

    #[test]
    fn event_matches_only_whole_robot_id() {
        let lost = event(Severity::Warn, "", "robot xp03 is lost (silent for 3 s)");
        assert!(names(&lost, "xp03") && !names(&lost, "xp0") && !names(&lost, "p03"));
    }
}
