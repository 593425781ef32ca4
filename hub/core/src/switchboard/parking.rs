//! Parking: a phase without a run, in which robots are paused and driven to goal poses ([`crate::park`]).

use super::drive::drive_command;
use super::{Action, Switchboard};
use crate::park::{Outcome, Parking, ParkingTask};
use crate::roster::Robot;
use std::f32::consts::PI;
use xpuck_kernels::math::vec2;
use xpuck_kernels::world::Pose;
use xpuck_kernels::world::wall::Wall;
use xpuck_wire::Phase;
use xpuck_wire::log::Line;
use xpuck_wire::message::{Reply, State, ToRobot};
use xpuck_wire::park::{ParkOrder, ParkReport, ParkRow, ParkState};

/// Maximum number of walls in a parking order.
const WALLS: usize = 64;
/// Maximum number of poses in a parking order.
const POSES: usize = 64;

/// Parking operation in progress, or otherwise the last parking operation.
pub(super) struct Parked {
    parking: Parking,
    /// Index of each parked robot in the swarm file, from 0.
    places: Vec<usize>,
    /// Phase of the hub before parking, which is restored afterwards.
    before: Phase,
    /// Final report; `None` while parking is in progress.
    over: Option<ParkReport>,
}

/// Returns whether a robot can be driven: it is connected and not held.
fn is_there(robot: &Robot) -> bool {
    robot.alive() && !robot.held
}

impl Switchboard {
    /// Starts to park the robots of an order.
    pub(super) fn park(&mut self, now: f64, who: &str, order: ParkOrder) -> Reply {
        match self.parking(now, &order) {
            Ok((parking, places)) => {
                let text = format!("{} robots are parked by {who}", places.len());
                self.parked = Some(Parked { parking, places, before: self.phase, over: None });
                self.phase = Phase::Parking;
                self.send_directive(State::Pause, 0);
                self.note_for(now, who, text);
                Reply::Done
            }
            Err(why) => Reply::Refused(why),
        }
    }

    fn parking(&self, now: f64, order: &ParkOrder) -> Result<(Parking, Vec<usize>), String> {
        let robots = &self.roster.robots;
        let places: Vec<usize> = if order.robots.is_empty() {
            (0..robots.len()).filter(|place| is_there(&robots[*place])).collect()
        } else {
            order.robots.iter().map(|id| self.place(id)).collect::<Result<_, _>>()?
        };
        if let Some(robot) = places.iter().map(|place| &robots[*place]).find(|robot| !is_there(robot)) {
            let why = if robot.held { "is held: release it" } else { "is not connected: check its power and network" };
            return Err(format!("robot {} {why}", robot.id));
        }
        if places.is_empty() {
            return Err("no robot to park is connected: switch robots on".into());
        }
        if places.iter().enumerate().any(|(i, place)| places[..i].contains(place)) {
            return Err("a robot is listed twice".into());
        }
        if order.poses.len() < places.len() || order.poses.len() > POSES {
            return Err(format!(
                "{} poses for {} robots; one per robot is needed, and at most {POSES} are allowed",
                order.poses.len(),
                places.len()
            ));
        }
        if order.walls.len() > WALLS {
            return Err(format!("{} walls; at most {WALLS} are allowed", order.walls.len()));
        }
        let numbers = order.poses.iter().flatten().chain(order.walls.iter().flatten());
        if let Some(number) = numbers.copied().find(|number| !(number.is_finite() && number.abs() <= 1e3)) {
            return Err(format!("{number} in a pose or a wall is out of range; expected metres and radians"));
        }
        if !self.tracking {
            return Err("no poses are received: check the motion-capture server with `xpuck doctor`".into());
        }
        let arena = self.config.hub.arena;
        let orders = ParkingTask {
            half: vec2(arena.length_m / 2.0, arena.width_m / 2.0),
            walls: order.walls.iter().map(|[a, b, c, d]| Wall { from: vec2(*a, *b), to: vec2(*c, *d) }).collect(),
            frisbee: (!order.without_frisbee).then(|| (self.config.hub.mocap.frisbee.clone(), arena.frisbee_radius_m)),
            robots: places.iter().map(|place| robots[*place].id.clone()).collect(),
            goals: order.poses.iter().map(|[x, y, heading]| Pose { at: vec2(*x, *y), heading: *heading }).collect(),
            own: order.own,
        };
        Ok((Parking::new(now, orders, &self.sightings.recent(now))?, places))
    }

    /// Passes the last frame of motion capture to the parking operation, if one is in progress.
    pub(super) fn see_parking(&mut self, now: f64) {
        let going_on = self.phase == Phase::Parking;
        if let Some((parked, (_, frame))) = self.parked.as_mut().zip(self.frame.as_ref()).filter(|_| going_on) {
            parked.parking.on_frame(now, frame);
        }
    }

    /// Sends wheel speeds to the robots of the parking operation, and ends it if it is finished.
    pub(super) fn go_on_parking(&mut self, now: f64) {
        if self.phase != Phase::Parking {
            return;
        }
        let speed = self.config.swarm.speed;
        let Some(parked) = &mut self.parked else { return };
        for (i, place) in parked.places.iter().enumerate() {
            parked.parking.set_there(i, is_there(&self.roster.robots[*place]));
        }
        let Some(wheels) = parked.parking.drive(now) else { return };
        for (place, wheels) in parked.places.iter().zip(wheels) {
            if is_there(&self.roster.robots[*place]) {
                let command = drive_command(now, speed, wheels, None);
                self.actions.push(Action::Send(*place, ToRobot::Drive(command)));
            }
        }
        match parked.parking.outcome(now) {
            None => {}
            Some(Outcome::Parked) => self.end_parking(now, "", Line::info("the robots are parked: STOP"), true),
            Some(Outcome::GivenUp(why)) => {
                self.end_parking(now, "", Line::warn(format!("parking is given up: {why}: STOP")), false);
            }
        }
    }

    /// Stops all robots and restores the phase before parking. `line` states the reason in the log, and `done` states
    /// whether the robots are at their goals.
    pub(super) fn end_parking(&mut self, now: f64, who: &str, line: Line, done: bool) {
        let mut report = self.park_report(now);
        if let Some((parked, report)) = self.parked.as_mut().zip(report.as_mut()) {
            (report.over, report.parked) = (true, done);
            report.said = line.text.trim_end_matches(": STOP").into();
            parked.over = Some(report.clone());
            self.phase = parked.before;
        }
        let segment = self.run.as_ref().map_or(0, |run| run.segment);
        self.send_directive(State::Stop, segment);
        self.say_for(now, who, line);
    }

    /// Returns the report of the last parking operation, or `None` if there was none. While parking is in progress,
    /// the report contains the current poses.
    pub(super) fn park_report(&self, now: f64) -> Option<ParkReport> {
        let parked = self.parked.as_ref()?;
        if let Some(over) = &parked.over {
            return Some(over.clone());
        }
        let row = |(place, standing): (&usize, crate::park::RobotProgress)| {
            let robot = &self.roster.robots[*place];
            ParkRow {
                robot: robot.id.clone(),
                goal: [standing.goal.at.x, standing.goal.at.y, standing.goal.heading],
                off_m: standing.off.map(|(off, _)| off),
                off_deg: standing.off.map(|(_, off)| off * 180.0 / PI),
                state: match standing {
                    _ if robot.held => ParkState::Held,
                    _ if !robot.alive() => ParkState::Lost,
                    standing if !standing.seen => ParkState::Unseen,
                    standing if standing.parked => ParkState::Parked,
                    _ => ParkState::Driving,
                },
            }
        };
        let robots: Vec<ParkRow> = parked.places.iter().zip(parked.parking.standing(now)).map(row).collect();
        let there = robots.iter().filter(|row| row.state == ParkState::Parked).count();
        let said = match parked.parking.misses_frisbee(now) {
            true => "all robots are stopped until motion capture sees the frisbee again".into(),
            false => format!("{there} of {} robots are at their places", robots.len()),
        };
        Some(ParkReport {
            over: false,
            parked: false,
            said,
            seconds: parked.parking.seconds(now),
            frisbee_moved_m: parked.parking.frisbee_moved(),
            robots,
        })
    }
}
