//! Operators drive single robots: by hand, or by a program of theirs.

use super::{Action, Switchboard};
use xpuck_kernels::world::physics::check_wheels;
use xpuck_wire::Phase;
use xpuck_wire::message::{DriveCommand, Reply, State, ToRobot};

/// A command holds for so long, ms of wall time; robots take no more.
const HOLD_MS: f64 = 250.0;
/// It is not obeyed so long after it was given, s of wall time.
const VALID: f64 = 0.5;
/// Whoever drives a robot that nobody drove for so long is noted, s of wall time.
const NOTED: f64 = 5.0;
/// A robot that another drove a moment ago is not to be had, s of wall time.
const TAKEN: f64 = 0.5;

/// A command that is given at `now`, s; `speed` is arena time over wall time.
pub(super) fn drive_command(now: f64, speed: f64, wheels: [f32; 2], lamps: Option<[u8; 3]>) -> DriveCommand {
    DriveCommand { wheels, lamps, hold_ms: (HOLD_MS * speed) as u32, expires: now + VALID * speed }
}

impl Switchboard {
    /// Has one robot drive for a moment.
    pub(super) fn drive(&mut self, now: f64, who: &str, id: &str, wheels: [f32; 2], lamps: Option<[u8; 3]>) -> Reply {
        match self.may_drive(now, who, id, wheels) {
            Ok(place) => self.drive_on(now, who, place, wheels, lamps),
            Err(why) => return Reply::Refused(why),
        }
        Reply::Done
    }

    /// The place of a robot that `who` may drive so now.
    fn may_drive(&self, now: f64, who: &str, id: &str, wheels: [f32; 2]) -> Result<usize, String> {
        self.place(id)?;
        check_wheels(wheels)?;
        let place = self.present(id)?;
        let robot = &self.roster.robots[place];
        if self.phase == Phase::Parking {
            return Err("robots are being parked; `xpuck stop` ends it".into());
        }
        if robot.held {
            return Err(format!("robot {id} is held: `xpuck robot release {id}` lets it drive again"));
        }
        let taken = |(other, at): &&(String, f64)| other != who && now - at < TAKEN * self.config.swarm.speed;
        match robot.driven.as_ref().filter(taken) {
            Some((other, _)) => Err(format!("robot {id} is driven by {other}")),
            None => Ok(place),
        }
    }

    fn drive_on(&mut self, now: f64, who: &str, place: usize, wheels: [f32; 2], lamps: Option<[u8; 3]>) {
        // A robot that was stopped obeys no command for its wheels; whoever drives it says that it may again.
        if self.directive.1 == State::Stop && matches!(self.phase, Phase::Idle | Phase::Finished) {
            self.direct(State::Idle, self.directive.2);
        }
        let speed = self.config.swarm.speed;
        let command = drive_command(now, speed, wheels, lamps);
        self.actions.push(Action::Send(place, ToRobot::Drive(command)));
        let robot = &mut self.roster.robots[place];
        let before = robot.driven.replace((who.into(), now));
        if before.is_none_or(|(other, at)| other != who || now - at > NOTED * speed) {
            let text = format!("robot {} is driven by {who}", robot.id);
            self.note_for(now, who, text);
        }
    }
}
