//! SimSpark agents in a virtual arena. They drive robots that are not driven by a board.

use super::keys::AgentsFile;
use super::play::hold;
use super::trainer::{heading, place};
use anyhow::{Context, Result};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tracing::{info, warn};
use xpuck_arena::{Arena, Guest, STEP_SECONDS};
use xpuck_gateway::agent::{Detection, Effector, HeardWord, Perception, Proprioception, Wheel};
use xpuck_gateway::agents::{AgentInput, Agents};
use xpuck_gateway::limit::LineLimit;
use xpuck_gateway::scene::arena::Team;
use xpuck_gateway::stage::Game;
use xpuck_kernels::math::Vec2;
use xpuck_kernels::model::{CAMERA_FOV, GRAVITY};
use xpuck_kernels::world::Body;
use xpuck_registers::spi::Pixel;
use xpuck_registers::stepper::WHEEL_DIAMETER;
use xpuck_wire::log;

/// Maximum wall time for which a step waits for the agents in step mode.
const PATIENCE: Duration = Duration::from_secs(1);
/// Number of cycles between two camera perceptions of an agent, as in SimSpark.
const SEES: u64 = 3;

/// State of a robot that an agent may drive.
#[derive(Clone, Debug, Default)]
struct Driven {
    guest: Guest,
    /// Whether the agent has commanded a wheel to turn. Afterwards, the agent can no longer place the robot with the
    /// `beam` command.
    began: bool,
    /// Angle of each wheel (rad).
    turned: [f64; 2],
    /// Velocity after the previous step (m/s).
    velocity: Vec2,
    /// Whether it has been logged that a board drives the robot.
    told: bool,
}

/// Agents of an arena, and the robots that they drive.
pub struct Drivers {
    agents: Agents,
    sync: bool,
    robots: Vec<Driven>,
    free: Vec<bool>,
    /// Words that robots have broadcast in this cycle, each with the index of its robot.
    words: Vec<(usize, String)>,
    cycle: u64,
    limit: LineLimit,
    since: Instant,
}

impl Drivers {
    /// Starts to listen for agents.
    ///
    /// # Errors
    /// The address cannot be bound.
    pub fn start(keys: &AgentsFile, robots: usize) -> Result<Drivers> {
        let agents = Agents::listen(keys.address);
        let agents = agents.with_context(|| format!("cannot listen for agents at {}", keys.address))?;
        let at = agents.address()?;
        log::print(format_args!("agents at {at}"));
        if !at.ip().is_loopback() {
            warn!(target: "agents", "{at} has no authentication: any client may drive robots");
        }
        Ok(Drivers {
            agents,
            sync: keys.sync,
            robots: vec![Driven::default(); robots],
            free: vec![true; robots],
            words: Vec::new(),
            cycle: 0,
            limit: LineLimit::default(),
            since: Instant::now(),
        })
    }

    /// Applies the agents' messages to their robots. In step mode, the call waits for the messages of all agents.
    pub fn before_step(&mut self, arena: &Mutex<Arena>) {
        let mut said = self.agents.poll(&self.free);
        if self.sync {
            self.agents.wait(PATIENCE, &self.free, &mut said);
        }
        let AgentInput { joined, effectors, left, told } = said;
        if !(joined.is_empty() && effectors.is_empty() && left.is_empty()) {
            let mut arena = hold(arena);
            for robot in joined {
                self.robots[robot] = Driven { velocity: arena.bodies()[robot].velocity, ..Driven::default() };
            }
            for (robot, effector) in effectors {
                self.act(&mut arena, robot, effector);
            }
            for robot in self.agents.robots() {
                arena.set_manual_drive(robot, Some(self.robots[robot].guest));
            }
            left.into_iter().for_each(|robot| arena.set_manual_drive(robot, None));
        }
        self.log(told);
    }

    fn log(&mut self, lines: Vec<String>) {
        for line in self.limit.pass(self.since.elapsed().as_secs(), lines) {
            info!(target: "agents", "{line}");
        }
    }

    fn act(&mut self, arena: &mut Arena, robot: usize, effector: Effector) {
        let driven = &mut self.robots[robot];
        match effector {
            Effector::Wheel(wheel, speed) => {
                let place = usize::from(wheel == Wheel::Right);
                driven.guest.wheels[place] = (speed * f64::from(WHEEL_DIAMETER) / 2.0).clamp(-1.0, 1.0) as f32;
                driven.began |= speed != 0.0;
            }
            Effector::Leds(colour) => {
                let [red, green, blue] = colour.map(|part| (part * 255.0).round() as u8);
                driven.guest.colour = Some(Pixel { red, green, blue });
            }
            Effector::Beam([x, y, degrees]) if !driven.began => {
                arena.put(robot, place(x, y), Some(heading(degrees)));
            }
            // A robot may broadcast one word per cycle, as in SimSpark.
            Effector::Broadcast(word) if self.words.iter().all(|(speaker, _)| *speaker != robot) => {
                self.words.push((robot, word));
            }
            Effector::Beam(_) | Effector::Broadcast(_) | Effector::Scene | Effector::Init(..) | Effector::Sync => {}
        }
    }

    /// Sends each agent the perceptions of its robot.
    pub fn after_step(&mut self, arena: &Mutex<Arena>, game: Game) {
        let (bodies, touched, away) = {
            let arena = hold(arena);
            let robots = 0..arena.robots();
            self.free = robots.clone().map(|robot| !arena.is_commanded(robot) && !arena.is_removed(robot)).collect();
            let touched: Vec<_> = self.agents.robots().map(|robot| (robot, arena.proximity(robot))).collect();
            let away: Vec<usize> = self.agents.robots().filter(|robot| arena.is_removed(*robot)).collect();
            (arena.bodies().to_vec(), touched, away)
        };
        let mut told = Vec::new();
        for robot in away {
            self.agents.close(robot);
            told.push(format!("robot {} was removed from the arena; its agent's connection is closed", robot + 1));
        }
        for robot in self.agents.robots() {
            if !self.free[robot] && !std::mem::replace(&mut self.robots[robot].told, true) {
                told.push(format!("robot {} is driven by its board; commands of its agent are ignored", robot + 1));
            }
        }
        let count = self.robots.len();
        let felt: Vec<Proprioception> = (0..count)
            .map(|robot| {
                let near = touched.iter().find(|(one, _)| *one == robot).map_or([0.0; 8], |(_, near)| *near);
                self.robots[robot].feel(&bodies[robot], near)
            })
            .collect();
        let words = std::mem::take(&mut self.words);
        let teams: Vec<String> = (0..count)
            .map(|robot| {
                self.agents.team(robot).unwrap_or(Team::from_robot_number(robot as u32 + 1).0.name()).to_string()
            })
            .collect();
        let sees = self.cycle.is_multiple_of(SEES);
        self.agents.send_perceptions(|robot| Perception {
            now: game.time,
            joined: robot.map(|robot| {
                let (team, number) = Team::from_robot_number(robot as u32 + 1);
                (number, if team == Team::Left { "left" } else { "right" })
            }),
            score: [game.score, 0],
            game: game.time,
            play_mode: game.mode.name().into(),
            body: robot.map(|robot| felt[robot].clone()),
            seen: robot.filter(|_| sees).map(|robot| seen(&bodies, count, robot, &teams)),
            heard: robot.map_or(Vec::new(), |robot| heard(&words, &bodies, robot, &teams, game.time)),
        });
        self.cycle += 1;
        self.log(told);
    }
}

impl Driven {
    fn feel(&mut self, body: &Body, near: [f32; 8]) -> Proprioception {
        let pushed = (body.velocity - self.velocity) * (1.0 / STEP_SECONDS as f32);
        let pushed = pushed.rotate(Vec2::unit(-body.pose.heading));
        self.velocity = body.velocity;
        for (turned, speed) in self.turned.iter_mut().zip(body.wheels) {
            *turned += f64::from(speed) * STEP_SECONDS / (f64::from(WHEEL_DIAMETER) / 2.0);
        }
        let degrees = |turned: f64| (turned.to_degrees() + 180.0).rem_euclid(360.0) - 180.0;
        Proprioception {
            turning: [0.0, 0.0, f64::from(body.spin).to_degrees()],
            acceleration: [pushed.x.into(), pushed.y.into(), GRAVITY.into()],
            wheels: self.turned.map(degrees),
            touched: near.map(|near| near > 0.0),
        }
    }
}

/// Returns distance (m), bearing (degrees, positive to the left) and elevation (always 0) of a point relative to a
/// body.
fn polar(from: &Body, to: Vec2) -> [f64; 3] {
    let towards = (to - from.pose.at).rotate(Vec2::unit(-from.pose.heading));
    [towards.length().into(), f64::from(towards.y).atan2(towards.x.into()).to_degrees(), 0.0]
}

/// Returns the ball and the robots in the field of view of robot `me`. Bodies do not occlude one another, as in
/// SimSpark.
fn seen(bodies: &[Body], robots: usize, me: usize, teams: &[String]) -> Vec<Detection> {
    let half = f64::from(CAMERA_FOV).to_degrees() / 2.0;
    let place = |i: usize| Some(polar(&bodies[me], bodies[i].pose.at)).filter(|polar| polar[1].abs() <= half);
    let ball = (robots < bodies.len()).then_some(robots).and_then(place).map(Detection::Ball);
    // Robots at 100 m or more are left out, because they have been removed from the arena.
    let others = (0..robots).filter(|i| *i != me).filter_map(|i| Some((i, place(i).filter(|polar| polar[0] < 100.0)?)));
    let robot = |(i, polar): (usize, [f64; 3])| {
        Detection::Robot(teams[i].clone(), Team::from_robot_number(i as u32 + 1).1, polar)
    };
    ball.into_iter().chain(others.map(robot)).collect()
}

fn heard(words: &[(usize, String)], bodies: &[Body], me: usize, teams: &[String], time: f64) -> Vec<HeardWord> {
    let heard = |(speaker, word): &(usize, String)| HeardWord {
        team: teams[*speaker].clone(),
        time,
        from: (*speaker != me).then(|| polar(&bodies[me], bodies[*speaker].pose.at)[1]),
        word: word.clone(),
    };
    words.iter().map(heard).collect()
}
