//! `xpuck swarm top`: the swarm on one terminal screen, without a browser.
//!
//! Keys and answers of the hub are converted to inputs. Each input changes the state and returns actions. The screen
//! is drawn from the state. The code that updates the state and the code that draws the screen do no I/O. Threads
//! send requests to the hub, so that keys never wait for an answer.

mod detail;
mod history;
mod keys;
mod link;
mod screen;
mod state;
mod table;
mod update;
mod view;

use crate::link::hub_address::HubAddress;
use anyhow::{Result, bail};
use clap::Args;
use link::HubThreads;
use ratatui::crossterm::event::{self, Event};
use screen::Screen;
use signal_hook::consts::{SIGHUP, SIGQUIT};
use state::{Action, Input, TopState};
use std::io::{self, ErrorKind};
use std::sync::atomic::Ordering;
use std::sync::mpsc::TryRecvError;
use std::time::{Duration, Instant};
use update::update;
use xpuck_wire::{output, shutdown};

/// Minimum interval between two frames.
const MIN_FRAME_INTERVAL: Duration = Duration::from_millis(50);
/// Maximum interval between two frames. The screen shows the duration of a hub's silence, which changes every second.
const MAX_FRAME_INTERVAL: Duration = Duration::from_secs(1);
/// Maximum number of keys that are handled before other inputs.
const KEY_BATCH: usize = 64;

/// Show run, robots and events on one self-updating screen, with keys to pause, resume, STOP and more.
///
/// Space or S stops the swarm immediately. If you use an observer's key, the hub refuses all commands.
#[derive(Args)]
#[command(
    after_help = "Keys: p pause, r resume, space or S STOP, n note, i identify, h hold or release the chosen robot, up \
    and down choose, enter shows the robot in detail, o and O sort, / filters, ? help, q quit."
)]
pub struct TopArgs {
    #[command(flatten)]
    address: HubAddress,
}

/// Runs the command until the user quits.
///
/// # Errors
/// Standard output is not a terminal, or the hub's address is unknown.
pub fn run(args: &TopArgs) -> Result<()> {
    if !output::is_terminal() {
        bail!("standard output is not a terminal; use `xpuck status --watch`, which prints lines");
    }
    let stop = shutdown::service_flag(Default::default())?;
    for signal in [SIGHUP, SIGQUIT] {
        signal_hook::flag::register(signal, stop.clone())?;
    }
    let links = HubThreads::open(&args.address)?;
    let mut screen = Screen::open()?;
    let (begun, mut top) = (Instant::now(), TopState::default());
    let (mut drawn, mut changed) = (None::<Instant>, true);
    while !stop.load(Ordering::Relaxed) {
        if !screen.is_active() {
            bail!("internal error: see the message above");
        }
        let mut inputs = Vec::new();
        keys(&mut inputs)?;
        loop {
            match links.inputs.try_recv() {
                Ok(input) => inputs.push(input),
                Err(TryRecvError::Empty) => break,
                Err(TryRecvError::Disconnected) => bail!("the threads that query the hub have ended"),
            }
        }
        changed |= !inputs.is_empty() || drawn.is_some_and(|drawn| drawn.elapsed() > MAX_FRAME_INTERVAL);
        for input in inputs {
            for action in update(&mut top, input, begun.elapsed()) {
                match action {
                    Action::Ask(ask) => links.ask(ask),
                    Action::Quit => return Ok(()),
                }
            }
        }
        if changed && drawn.is_none_or(|drawn| drawn.elapsed() >= MIN_FRAME_INTERVAL) {
            top.advance(begun.elapsed());
            screen.draw(|frame| view::draw(&top, frame))?;
            (drawn, changed) = (Some(Instant::now()), false);
        }
    }
    Ok(())
}

/// Waits for a key for up to [`MIN_FRAME_INTERVAL`], and appends all available terminal events to `inputs`.
fn keys(inputs: &mut Vec<Input>) -> io::Result<()> {
    let mut wait = MIN_FRAME_INTERVAL;
    while inputs.len() < KEY_BATCH && ignore_interrupted(event::poll(wait))?.unwrap_or(false) {
        match event::read()? {
            Event::Key(key) if key.is_press() => inputs.push(Input::Key(key)),
            Event::Paste(text) => inputs.push(Input::Pasted(text)),
            Event::Resize(..) => inputs.push(Input::Resized),
            _ => {}
        }
        wait = Duration::ZERO;
    }
    Ok(())
}

/// Converts the result of a call. Returns `None` if a signal interrupted the call. Other errors are kept.
fn ignore_interrupted<T>(result: io::Result<T>) -> io::Result<Option<T>> {
    match result {
        Err(error) if error.kind() == ErrorKind::Interrupted => Ok(None),
        result => result.map(Some),
    }
}
