//! Follows a run: progress, events, lost processes and Ctrl-C.

use super::files::Layout;
use super::processes::Processes;
use super::screen::{self, EVENTS, Events};
use crate::terminal::progress::is_drawn;
use anyhow::{Result, bail};
use indicatif::{MultiProgress, ProgressBar, ProgressStyle};
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use xpuck_wire::log;
use xpuck_wire::message::{Reply, Request, State};
use xpuck_wire::socket::{AskError, OperatorLink};
use xpuck_wire::{Phase, Status};

/// Prefix that distinguishes the demo's notes in the record from operators' notes.
const NOTE_PREFIX: &str = "demo: ";
/// Interval between two status requests (wall time).
const POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Ending of a run.
#[derive(Debug, PartialEq, Eq)]
pub enum Ended {
    /// The run was completed.
    Whole,
    /// The user pressed Ctrl-C.
    Interrupted,
    /// A process that the run needs has ended. The text is the reason.
    Lost(String),
}

/// Observer of a demo's run, which shows the progress and the events.
pub struct Watch {
    link: OperatorLink,
    drawn: Option<TerminalLines>,
    quiet: bool,
    robots: usize,
    speed: f64,
    /// Whether at least one robot evolves in at least one phase.
    evolves: bool,
    shown: String,
    events: Events,
    /// Robots whose processes have ended.
    gone: BTreeSet<String>,
    /// Whether the warning about a slow machine was shown.
    slow: bool,
    /// Start of the run (wall time).
    began: Option<Instant>,
    last: Option<Status>,
}

/// Progress bar and lines that are redrawn on a terminal.
struct TerminalLines {
    all: MultiProgress,
    bar: ProgressBar,
    lines: Vec<ProgressBar>,
    events: Vec<ProgressBar>,
}

impl TerminalLines {
    fn new() -> TerminalLines {
        let all = MultiProgress::new();
        let style =
            |template: &str| ProgressStyle::with_template(template).unwrap_or_else(|_| ProgressStyle::default_bar());
        let line = |template: &str| all.add(ProgressBar::new(1000).with_style(style(template)));
        let bar = line("{bar:24.green} {wide_msg}");
        let lines = (0..3).map(|_| line("{prefix:>13.bold}  {wide_msg}")).collect();
        let events = (0..EVENTS).map(|_| line("{prefix:>13.dim}  {wide_msg:.dim}")).collect();
        TerminalLines { all, bar, lines, events }
    }

    fn show(&self, status: &Status, evolves: bool, happened: &Events, wall: Duration) {
        self.bar.set_position((1000.0 * status.run_seconds / status.run_length.max(1.0)) as u64);
        self.bar.set_message(format!("segment {}: {}", status.segment, screen::clock(status, wall)));
        for (line, (name, text)) in self.lines.iter().zip(screen::lines(status, evolves, happened.goals())) {
            line.set_prefix(name);
            line.set_message(text);
        }
        for (line, text) in self.events.iter().zip(happened.lines()) {
            line.set_message(text);
        }
    }

    fn end(&self) {
        self.lines.iter().chain(&self.events).for_each(ProgressBar::finish_and_clear);
        self.bar.finish_and_clear();
        // The error is ignored: if clearing fails, only one superfluous line remains on the screen.
        let _ = self.all.clear();
    }
}

impl Watch {
    /// Creates an observer. `quiet` suppresses all output.
    pub fn new(link: OperatorLink, quiet: bool, layout: &Layout) -> Watch {
        let drawn = (!quiet && is_drawn()).then(TerminalLines::new);
        let robots = layout.swarm.robots.len();
        if let Some(drawn) = &drawn {
            drawn.bar.set_message(format!("waiting for {robots} robots"));
        }
        Watch {
            link,
            drawn,
            quiet,
            robots,
            speed: layout.swarm.speed,
            evolves: layout.plan.phases.iter().any(|phase| (0..robots).any(|robot| phase.evolves(robot))),
            shown: String::new(),
            events: Events::default(),
            gone: BTreeSet::new(),
            slow: false,
            began: None,
            last: None,
        }
    }

    /// Prints a line above the redrawn lines, or as a log line if the output is not a terminal.
    fn say(&self, line: &str) {
        match &self.drawn {
            Some(drawn) => {
                let _ = drawn.all.println(line);
            }
            None if self.quiet => {}
            None => log::print(line),
        }
    }

    /// Removes the redrawn lines from the terminal.
    fn end_screen(&self) {
        self.drawn.iter().for_each(TerminalLines::end);
    }

    /// Sends a request to the hub, and returns the reply.
    pub fn ask(&self, request: &Request) -> Result<Reply, AskError> {
        self.link.ask(request)
    }

    /// Sends a request to the hub. Returns an error if the hub refuses it.
    pub fn ask_done(&self, request: &Request) -> Result<()> {
        match self.ask(request)? {
            Reply::Refused(why) => bail!("the hub refused the request: {why}"),
            _ => Ok(()),
        }
    }

    /// Waits until Ctrl-C, or until the hub or the arena ends. Meanwhile, other clients can start runs.
    pub fn idle(&mut self, processes: &mut Processes, stop: &AtomicBool) -> Ended {
        self.end_screen();
        self.drawn = None;
        self.say("the swarm is waiting: start a run from the page, or with `xpuck start FILE`; Ctrl-C ends the demo");
        while !stop.load(Ordering::Relaxed) {
            for (name, line) in processes.take_ended() {
                self.say(&line);
                if name == "hub" || name == "arena" {
                    return Ended::Lost(line);
                }
            }
            std::thread::sleep(POLL_INTERVAL);
        }
        Ended::Interrupted
    }

    /// Requests the status of the hub. If the hub does not answer, returns the previous status, or `None` without
    /// one.
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

    /// Processes the events since the last status. The terminal shows the newest events. Without a terminal, each
    /// event is printed as a line, except goals, which the lines about segments count.
    fn show_events(&mut self, status: &Status) {
        let new = match status.events.iter().rposition(|e| *e == self.shown) {
            Some(last) => &status.events[last + 1..],
            None => &status.events[..],
        };
        for event in new {
            let text = event.split_once(' ').map_or(event.as_str(), |(_, text)| text);
            if text.contains(NOTE_PREFIX) {
                continue;
            }
            // If the robot's program has ended, the end has already been reported. If the program still runs, the
            // silence of the robot means that this machine is too slow.
            if let Some(robot) = screen::lost(text).filter(|robot| !self.gone.contains(*robot)) {
                let said = screen::overload_warning(status, Some(robot), self.robots, self.speed);
                said.into_iter().for_each(|said| self.warn_overload(&said));
                continue;
            }
            let fresh = self.events.push(text);
            // The line about a finished segment already implies the start of the next segment.
            if fresh && self.drawn.is_none() && !text.starts_with("segment ") {
                self.say(text);
            }
        }
        if let Some(said) = screen::overload_warning(status, None, self.robots, self.speed) {
            self.warn_overload(&said);
        }
        if let Some(last) = status.events.last() {
            self.shown = last.clone();
        }
    }

    /// Warns once that the machine is too slow. The warning is also sent to the hub as a note, because the hub's
    /// record and page show the effects of the slow machine.
    fn warn_overload(&mut self, said: &str) {
        if !std::mem::replace(&mut self.slow, true) {
            self.say(said);
            let _ = self.ask(&Request::Note { text: format!("{NOTE_PREFIX}{said}") });
        }
    }

    /// Waits until all robots and motion capture are present, at most for `limit` of wall time.
    ///
    /// # Errors
    /// The hub or the arena ended, or an operator sent STOP, which the start of the run must not override.
    pub fn wait_for_robots(&mut self, processes: &mut Processes, limit: Duration, stop: &AtomicBool) -> Result<()> {
        let deadline = Instant::now() + limit;
        while Instant::now() < deadline && !stop.load(Ordering::Relaxed) {
            self.look();
            for (name, line) in processes.take_ended() {
                if name == "hub" || name == "arena" {
                    bail!("{line}");
                }
                self.say(&line);
            }
            if self.last.as_ref().is_some_and(|s| s.directive.state == State::Stop) {
                bail!("an operator sent STOP before the run began; nothing was started or recorded");
            }
            if self.last.as_ref().is_some_and(|s| s.tracking && s.robots.iter().all(|r| r.alive)) {
                return Ok(());
            }
            std::thread::sleep(POLL_INTERVAL / 4);
        }
        Ok(())
    }

    /// Shows the progress of the run until it ends, the user presses Ctrl-C, or the hub or the arena ends.
    pub fn follow(&mut self, processes: &mut Processes, stop: &AtomicBool) -> Ended {
        let began = *self.began.get_or_insert_with(Instant::now);
        let (mut segment, mut goals) = (0, 0);
        loop {
            if stop.load(Ordering::Relaxed) {
                self.end_screen();
                self.say("stopping: wheels, then the record, then all processes");
                return Ended::Interrupted;
            }
            // Ended programs are handled before the status. Otherwise the silence of a robot whose program has ended
            // would be attributed to a slow machine.
            for (name, line) in processes.take_ended() {
                if name == "hub" || name == "arena" {
                    self.end_screen();
                    return Ended::Lost(line);
                }
                self.say(&format!("{line}; the run continues with the remaining robots"));
                self.gone.insert(name);
            }
            let answered = self.look();
            if let Some(status) = self.last.as_ref().filter(|_| answered) {
                if let Some(drawn) = &self.drawn {
                    drawn.show(status, self.evolves, &self.events, began.elapsed());
                }
                let over = matches!(status.phase, Phase::Finished | Phase::Idle);
                if self.drawn.is_none() && status.segment > segment {
                    let since = self.events.goals() - goals;
                    let ended =
                        screen::segment(status, self.evolves, segment, since, began.elapsed()).filter(|_| segment > 0);
                    ended.into_iter().for_each(|line| self.say(&line));
                    (segment, goals) = (status.segment, self.events.goals());
                }
                if over {
                    self.end_screen();
                    return Ended::Whole;
                }
            }
            std::thread::sleep(POLL_INTERVAL);
        }
    }
}
