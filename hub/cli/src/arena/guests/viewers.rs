//! 3D viewers that watch a virtual arena. Some viewers are trainers, which may move bodies.
//!
//! A separate thread owns the viewers' sockets. The arena's thread passes game frames to it and receives commands from
//! it. The arena's thread never waits for viewers.

use super::keys::ViewersFile;
use super::play::hold;
use super::trainer::Trainer;
use anyhow::{Result, anyhow};
use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::Duration;
use tracing::{info, warn};
use xpuck_arena::Arena;
use xpuck_gateway::monitors::pair::{CommandSource, MonitorServers};
use xpuck_gateway::scene::arena::{Disc, Robot};
use xpuck_gateway::stage::{BLUE, Game, GameFrame, ORANGE};
use xpuck_gateway::trainer::Command;
use xpuck_wire::log;

/// Maximum interval between two checks of the socket thread for new viewers and commands.
const LOOK: Duration = Duration::from_millis(50);
/// Maximum number of trainers' commands in the queue to the arena. While the queue is full, no more commands are read.
const MOST_WAITING: usize = 64;
/// Maximum number of commands executed per step. The limit bounds the time of a step, because moving a body requires a
/// search for a free place.
const OBEYED: usize = 16;
/// Minimum interval between updates of the robots' lamp colours (s of arena time). A changed colour requires a full
/// scene.
const COLOURS: f64 = 1.0;

/// Data exchanged between the arena's thread and the socket thread.
#[derive(Default)]
struct Desk {
    picture: Option<GameFrame>,
    commands: VecDeque<(CommandSource, Command)>,
    /// Acknowledgements to send to trainers.
    done: Vec<(CommandSource, String)>,
    /// Log lines about rejected commands, with the reasons.
    refused: Vec<String>,
    over: bool,
}

#[derive(Default)]
struct Shared {
    desk: Mutex<Desk>,
    left: Condvar,
}

impl Shared {
    fn desk(&self) -> MutexGuard<'_, Desk> {
        self.desk.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Interface of the arena's thread to the viewers.
pub struct Viewers {
    shared: Arc<Shared>,
    server: Option<JoinHandle<()>>,
    trainer: Trainer,
    period: f64,
    due: f64,
    colours: Vec<[f64; 4]>,
    colours_due: f64,
}

impl Viewers {
    /// Starts to listen for viewers, and starts the socket thread.
    ///
    /// # Errors
    /// An address cannot be bound.
    pub fn start(keys: &ViewersFile) -> Result<Viewers> {
        let pair = MonitorServers::listen(keys.simspark, keys.rsmp);
        let pair = pair.map_err(|(at, error)| anyhow!("cannot listen for viewers at {at}: {error}"))?;
        for (protocol, at) in pair.addresses()? {
            log::print(format_args!("viewers ({}) at {at}", protocol.name()));
            let what = if keys.trainers { "watch, and move bodies in the arena" } else { "watch" };
            if !at.ip().is_loopback() {
                warn!(target: "viewers", "{at} has no authentication: any client may {what}");
            }
        }
        let shared = Arc::new(Shared::default());
        let (there, trainers) = (shared.clone(), keys.trainers);
        let server = thread::Builder::new().name("viewers".into()).spawn(move || serve(pair, &there, trainers))?;
        Ok(Viewers {
            shared,
            server: Some(server),
            trainer: Trainer::default(),
            period: 1.0 / keys.rate,
            due: 0.0,
            colours: Vec::new(),
            colours_due: 0.0,
        })
    }

    /// Executes trainers' commands, and passes a game frame to the socket thread if one is due. Must be called after
    /// each step.
    pub fn after_step(&mut self, arena: &Mutex<Arena>, game: Game) {
        let commands: Vec<_> = {
            let mut desk = self.shared.desk();
            let count = desk.commands.len().min(OBEYED);
            desk.commands.drain(..count).collect()
        };
        let (mut done, mut refused) = (Vec::new(), Vec::new());
        let picture = {
            let mut arena = hold(arena);
            for (asker, command) in commands {
                match &command {
                    Command::Acknowledge(word) => done.push((asker, word.clone())),
                    command => {
                        let result = self.trainer.obey(&mut arena, command);
                        refused.extend(
                            result.err().map(|why| format!("a trainer's `{}` is refused: {why}", command.name())),
                        );
                    }
                }
            }
            (game.time >= self.due).then(|| self.picture(&arena, game))
        };
        if picture.is_none() && done.is_empty() && refused.is_empty() {
            return;
        }
        let mut desk = self.shared.desk();
        desk.done.extend(done);
        desk.refused.extend(refused);
        if picture.is_some() {
            desk.picture = picture;
            self.shared.left.notify_one();
        }
    }

    fn picture(&mut self, arena: &Arena, game: Game) -> GameFrame {
        self.due = (self.due + self.period).max(game.time - self.period);
        if game.time >= self.colours_due {
            self.colours_due = game.time + COLOURS;
            self.colours = (0..arena.robots()).map(|robot| colour(arena, robot)).collect();
        }
        GameFrame { arena: shown(arena, &self.colours), game }
    }
}

impl Drop for Viewers {
    fn drop(&mut self) {
        self.shared.desk().over = true;
        self.shared.left.notify_one();
        // The socket thread ends after `over` is set. Messages that it has not sent are lost.
        let _ = self.server.take().map(JoinHandle::join);
    }
}

/// Returns the scene for viewers: walls, lights and all bodies, except for robots that were removed from the arena.
fn shown(arena: &Arena, colours: &[[f64; 4]]) -> xpuck_gateway::scene::arena::Arena {
    let at = |x: f32, y: f32| [f64::from(x), f64::from(y)];
    let around = arena.surroundings();
    let (robots, discs) = arena.bodies().split_at(arena.robots());
    let robot = |(i, body): (usize, &xpuck_kernels::world::Body)| Robot {
        number: i as u32 + 1,
        at: at(body.pose.at.x, body.pose.at.y),
        heading: body.pose.heading.into(),
        radius: body.shape.radius.into(),
        colour: colours.get(i).copied().unwrap_or(BLUE),
        seen: true,
    };
    let disc = |body: &xpuck_kernels::world::Body| Disc {
        at: at(body.pose.at.x, body.pose.at.y),
        radius: body.shape.radius.into(),
        colour: ORANGE,
    };
    xpuck_gateway::scene::arena::Arena {
        half: at(around.half_arena.0, around.half_arena.1),
        walls: around.walls.iter().map(|wall| [at(wall.from.x, wall.from.y), at(wall.to.x, wall.to.y)]).collect(),
        lamps: arena.lights().map(|(place, height)| [place.x.into(), place.y.into(), height.into()]).collect(),
        discs: discs.iter().map(disc).collect(),
        robots: robots.iter().enumerate().filter(|(i, _)| !arena.is_removed(*i)).map(robot).collect(),
    }
}

/// Returns the colour in which viewers show a robot. It is the mean colour of the robot's coloured lamps, scaled to
/// full brightness and rounded to three levels per component. A robot with only red ring lamps on is red. A robot with
/// all lamps off is blue.
fn colour(arena: &Arena, robot: usize) -> [f64; 4] {
    let lamps = arena.lamps(robot);
    let coloured = lamps.pixels.iter().flatten().chain(lamps.colours.iter().flatten());
    let mut sum = [0_u32; 3];
    for pixel in coloured {
        sum.iter_mut().zip([pixel.red, pixel.green, pixel.blue]).for_each(|(sum, part)| *sum += u32::from(part));
    }
    match sum.into_iter().max().unwrap_or(0) {
        0 if lamps.ring != 0 => [1.0, 0.0, 0.0, 1.0],
        0 => BLUE,
        most => {
            let part = |i: usize| (f64::from(sum[i]) / f64::from(most) * 2.0).round() / 2.0;
            [part(0), part(1), part(2), 1.0]
        }
    }
}

/// Sends game frames to viewers and reads trainers' commands, until the arena ends.
fn serve(mut pair: MonitorServers, shared: &Shared, trainers: bool) {
    let mut picture: Option<GameFrame> = None;
    // Before the first game frame, new viewers are not served.
    loop {
        let mut desk = shared.desk();
        if desk.picture.is_none() && !desk.over {
            desk = shared.left.wait_timeout(desk, LOOK).unwrap_or_else(PoisonError::into_inner).0;
        }
        if desk.over {
            return;
        }
        let news = desk.picture.take();
        let turn = if news.is_some() { MonitorServers::cycle } else { MonitorServers::wait };
        picture = news.or(picture);
        let (done, mut refused) = (std::mem::take(&mut desk.done), std::mem::take(&mut desk.refused));
        let room = MOST_WAITING.saturating_sub(desk.commands.len());
        drop(desk);
        for (asker, word) in done {
            pair.answer(asker, &format!("(ack {word})"));
        }
        let Some(picture) = &picture else { continue };
        let heard = turn(&mut pair, picture, room);
        heard.told.iter().for_each(|line| info!(target: "viewers", "{line}"));
        if trainers {
            shared.desk().commands.extend(heard.commands);
        } else {
            let line = |(_, command): (CommandSource, Command)| {
                format!("a trainer's `{}` is refused: `viewers.trainers` in the arena's file is false", command.name())
            };
            refused.extend(heard.commands.into_iter().map(line));
        }
        for line in pair.limited(refused) {
            warn!(target: "viewers", "{line}");
        }
    }
}
