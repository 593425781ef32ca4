//! Following a run: progress, events, lost processes and Ctrl-C.

use super::files::Layout;
use super::processes::Processes;
use anyhow::{Result, bail};
use indicatif::{ProgressBar, ProgressStyle};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use xpuck_lab::figure::Figure;
use xpuck_wire::log;
use xpuck_wire::message::{Reply, Request};
use xpuck_wire::socket::{AskError, OperatorLink};
use xpuck_wire::{Phase, Status};

/// Looks at the hub's status, wall time apart.
const LOOK: Duration = Duration::from_millis(200);

/// How a run ended.
#[derive(Debug, PartialEq, Eq)]
pub enum Ended {
    /// As planned.
    Whole,
    /// By Ctrl-C.
    Interrupted,
    /// Something the run cannot do without went away.
    Lost(String),
}

/// Follows a run.
pub struct Watch {
    link: OperatorLink,
    bar: ProgressBar,
    quiet: bool,
    shown: String,
    last: Option<Status>,
}

impl Watch {
    /// A follower; `quiet` shows nothing.
    pub fn new(link: OperatorLink, quiet: bool, layout: &Layout) -> Watch {
        let bar = if quiet { ProgressBar::hidden() } else { ProgressBar::new(1000) };
        let template = "{bar:24.green} {msg}";
        bar.set_style(ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar()));
        bar.set_message(format!("waiting for {} robots", layout.swarm.robots.len()));
        Watch { link, bar, quiet, shown: String::new(), last: None }
    }

    /// Prints a line above the bar, or plainly where no terminal shows a bar.
    fn say(&self, line: &str) {
        if !self.quiet && self.bar.is_hidden() {
            log::report(line);
        } else {
            self.bar.println(line);
        }
    }

    /// Asks the hub.
    pub fn ask(&self, request: &Request) -> Result<Reply, AskError> {
        self.link.ask(request)
    }

    /// Asks the hub to do something.
    pub fn ask_done(&self, request: &Request) -> Result<()> {
        match self.ask(request)? {
            Reply::Refused(why) => bail!("the hub refused: {why}"),
            _ => Ok(()),
        }
    }

    /// The last status seen.
    pub fn last_status(&mut self) -> Option<Status> {
        self.look();
        self.last.take()
    }

    fn look(&mut self) -> bool {
        match self.ask(&Request::Status) {
            Ok(Reply::Status(status)) => {
                self.show_events(&status);
                self.last = Some(*status);
                true
            }
            _ => false,
        }
    }

    /// Prints events that came since the last look.
    fn show_events(&mut self, status: &Status) {
        let new = match status.events.iter().rposition(|e| *e == self.shown) {
            Some(last) => &status.events[last + 1..],
            None => &status.events[..],
        };
        for event in new {
            let text = event.split_once(' ').map_or(event.as_str(), |(_, text)| text);
            self.say(text);
        }
        if let Some(last) = status.events.last() {
            self.shown = last.clone();
        }
    }

    /// Waits until all robots are there; goes on without those that do not come.
    pub fn wait_for_robots(&mut self, processes: &mut Processes, limit: Duration, stop: &AtomicBool) -> Result<()> {
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline && !stop.load(Ordering::Relaxed) {
            self.look();
            for (name, line) in processes.newly_gone() {
                if name == "hub" || name == "arena" {
                    bail!("{line}");
                }
                self.say(&line);
            }
            if self.last.as_ref().is_some_and(|s| s.tracking && s.robots.iter().all(|r| r.alive)) {
                return Ok(());
            }
            std::thread::sleep(LOOK / 4);
        }
        Ok(())
    }

    /// Follows the run to its end.
    pub fn follow(&mut self, processes: &mut Processes, stop: &AtomicBool) -> Ended {
        loop {
            if stop.load(Ordering::Relaxed) {
                self.say("stopping: wheels, then the record, then all processes");
                self.bar.finish_and_clear();
                return Ended::Interrupted;
            }
            let answered = self.look();
            for (name, line) in processes.newly_gone() {
                if name == "hub" || name == "arena" {
                    self.bar.finish_and_clear();
                    return Ended::Lost(line);
                }
                self.say(&format!("{line}; the run goes on with the robots left"));
            }
            if let Some(status) = self.last.as_ref().filter(|_| answered) {
                if matches!(status.phase, Phase::Finished | Phase::Idle) {
                    self.bar.finish_and_clear();
                    return Ended::Whole;
                }
                self.bar.set_position((1000.0 * status.run_seconds / status.run_length.max(1.0)) as u64);
                self.bar.set_message(line(status));
            }
            std::thread::sleep(LOOK);
        }
    }
}

/// One line on how the run stands.
fn line(status: &Status) -> String {
    let alive = status.robots.iter().filter(|r| r.alive).count();
    let generation = status.robots.iter().map(|r| r.evolution.generation).max().unwrap_or(0);
    let best = status.robots.iter().map(|r| r.evolution.best).fold(0.0, f64::max);
    let clock = |s: f64| format!("{}:{:02}", s as u64 / 60, s as u64 % 60);
    let last = status.segments.iter().rfind(|s| s.number > 0 && s.seconds > 1.0);
    let real = last.map(|s| format!("  real {:+.3}", Figure(s.fitness))).unwrap_or_default();
    format!(
        "{} of {}  generation {generation}  best {:.3}  segment {}{real}  robots {alive}/{}  {}",
        clock(status.run_seconds),
        clock(status.run_length),
        Figure(best),
        status.segment,
        status.robots.len(),
        xpuck_hub_core::switchboard::phase_name(status.phase)
    )
}
