//! Remote control of single robots by operators, either by hand or by a program.

use super::{Action, Switchboard};
use xpuck_kernels::model::V_MAX;
use xpuck_kernels::world::physics::check_wheels;
use xpuck_wire::Phase;
use xpuck_wire::message::{DriveCommand, Reply, State, ToRobot};

/// Duration for which a robot executes a command (ms of wall time). Robots do not accept longer durations.
const COMMAND_MS: f64 = 250.0;
/// Maximum age of a command at its arrival at the robot (s of wall time). Older commands are ignored.
const VALID: f64 = 0.5;
/// Duration without commands after which the next command is logged again (s of wall time).
const LOG_GAP: f64 = 5.0;
/// Time after a command during which other operators cannot drive the robot (s of wall time).
const EXCLUSIVE_TIME: f64 = 0.5;

/// Creates a command at `now` (s). `speed` is the ratio of arena time to wall time.
pub(super) fn drive_command(now: f64, speed: f64, wheels: [f32; 2], lamps: Option<[u8; 3]>) -> DriveCommand {
    DriveCommand { wheels, lamps, hold_ms: (COMMAND_MS * speed) as u32, expires: now + VALID * speed }
}

impl Switchboard {
    /// Drives one robot for a short time, if `who` may drive it.
    pub(super) fn drive(&mut self, now: f64, who: &str, id: &str, wheels: [f32; 2], lamps: Option<[u8; 3]>) -> Reply {
        match self.may_drive(now, who, id, wheels) {
            Ok(place) => self.drive_on(now, who, place, wheels, lamps),
            Err(why) => return Reply::Refused(why),
        }
        Reply::Done
    }

    /// Returns the index of a robot if `who` may drive it now, otherwise the reason for the refusal.
    fn may_drive(&self, now: f64, who: &str, id: &str, wheels: [f32; 2]) -> Result<usize, String> {
        self.place(id)?;
        check_wheels(wheels, V_MAX)?;
        let place = self.present(id)?;
        let robot = &self.roster.robots[place];
        if self.phase == Phase::Parking {
            return Err("robots are being parked; `xpuck stop` ends it".into());
        }
        if robot.held {
            return Err(format!("robot {id} is held: `xpuck robot release {id}` allows it to drive again"));
        }
        let taken = |(other, at): &&(String, f64)| other != who && now - at < EXCLUSIVE_TIME * self.config.swarm.speed;
        match robot.driven.as_ref().filter(taken) {
            Some((other, _)) => Err(format!("robot {id} is driven by {other}")),
            None => Ok(place),
        }
    }

    fn drive_on(&mut self, now: f64, who: &str, place: usize, wheels: [f32; 2], lamps: Option<[u8; 3]>) {
        // A robot in STOP ignores wheel commands. Without a run, an operator's command therefore ends the STOP.
        if self.directive.1 == State::Stop && matches!(self.phase, Phase::Idle | Phase::Finished) {
            self.send_directive(State::Idle, self.directive.2);
        }
        let speed = self.config.swarm.speed;
        let command = drive_command(now, speed, wheels, lamps);
        self.actions.push(Action::Send(place, ToRobot::Drive(command)));
        let robot = &mut self.roster.robots[place];
        let before = robot.driven.replace((who.into(), now));
        if before.is_none_or(|(other, at)| other != who || now - at > LOG_GAP * speed) {
            let text = format!("robot {} is driven by {who}", robot.id);
            self.note_for(now, who, text);
        }
    }
}
