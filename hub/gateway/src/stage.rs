//! Presents a swarm to viewers of football games. The swarm's phase is the play mode, and its clock is the game time.
//! Deliveries of the frisbee are the score. [`Presentation`] creates the pictures from the hub's status.

use crate::scene::Field;
use crate::scene::arena::{Arena, Disc, Robot, Team};
use std::collections::BTreeMap;
use xpuck_kernels::model::{FRISBEE_MASS, FRISBEE_RADIUS, ROBOT_RADIUS};
use xpuck_kernels::world::WorldSpec;
use xpuck_wire::{Phase, Status};

/// Play modes in the order of real servers. Messages refer to a play mode by its index.
const PLAY_MODES: [&str; 19] = [
    "BeforeKickOff",
    "KickOff_Left",
    "KickOff_Right",
    "PlayOn",
    "KickIn_Left",
    "KickIn_Right",
    "corner_kick_left",
    "corner_kick_right",
    "goal_kick_left",
    "goal_kick_right",
    "offside_left",
    "offside_right",
    "GameOver",
    "Goal_Left",
    "Goal_Right",
    "free_kick_left",
    "free_kick_right",
    "direct_free_kick_left",
    "direct_free_kick_right",
];
/// Colours of connected and of disconnected robots: red, green, blue and opacity, each 0 to 1.
pub const BLUE: [f64; 4] = [0.1, 0.2, 1.0, 1.0];
const GREY: [f64; 4] = [0.5, 0.5, 0.5, 1.0];
/// Colour of discs: red, green, blue and opacity, each 0 to 1.
pub const ORANGE: [f64; 4] = [1.0, 0.5, 0.0, 1.0];

/// State of a swarm, as a state of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// The swarm is idle or waits.
    #[default]
    Idle,
    /// A run is in progress.
    Playing,
    /// The frisbee was delivered to the target.
    Goal,
    /// The run has ended.
    Over,
}

impl Mode {
    /// Returns the name of the play mode.
    pub fn name(self) -> &'static str {
        match self {
            Mode::Idle => "BeforeKickOff",
            Mode::Playing => "PlayOn",
            Mode::Goal => "Goal_Left",
            Mode::Over => "GameOver",
        }
    }
}

/// State of a game.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Game {
    /// Game clock (s).
    pub time: f64,
    /// Half of the game, from 1. It is the number of the experiment's phase.
    pub half: u32,
    /// Number of deliveries of the frisbee.
    pub score: u32,
    /// State of the swarm, which gives the play mode.
    pub mode: Mode,
    /// Duration of the game (s); 0 if unknown.
    pub length: f64,
}

/// Picture of a swarm at one time, for viewers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct GameFrame {
    /// Contents of the arena.
    pub arena: Arena,
    /// State of the game.
    pub game: Game,
}

impl GameFrame {
    /// Returns the game clock (s), rounded to the two decimals that are transmitted.
    pub fn time(&self) -> f64 {
        (self.game.time * 100.0).round() / 100.0
    }

    /// Returns the fields of the game state, with the names of the teams. The first field is `time`.
    pub fn state(&self) -> Vec<Field> {
        let Game { half, score, mode, .. } = self.game;
        let mode = PLAY_MODES.iter().position(|name| *name == mode.name()).unwrap_or(0);
        let mut fields = vec![
            field("time", self.time()),
            field("half", half),
            field("score_left", score),
            field("score_right", 0),
            field("play_mode", mode),
            field("team_left", Team::Left.name()),
        ];
        // A team without robots is omitted, because viewers would show its name and score.
        if self.arena.robots.iter().any(|robot| Team::from_robot_number(robot.number).0 == Team::Right) {
            fields.push(field("team_right", Team::Right.name()));
        }
        fields
    }

    /// Returns the fields of the environment: the 14 values of SimSpark's network protocol, and the play modes.
    pub fn environment(&self) -> Vec<Field> {
        let [half_x, half_y] = self.arena.half;
        let digits = |value: f64| (value * 1e6).round() / 1e6;
        let ball = self.arena.discs.first().map_or(FRISBEE_RADIUS.into(), |disc| disc.radius);
        let mut fields = vec![
            field("FieldLength", digits(2.0 * half_x)),
            field("FieldWidth", digits(2.0 * half_y)),
            field("FieldHeight", 2),
            field("GoalWidth", digits(2.0 * half_y)),
            field("GoalDepth", 0.1),
            field("GoalHeight", 0.05),
            field("FreeKickDistance", FREE_KICK),
            field("WaitBeforeKickOff", 0),
            field("AgentRadius", digits(ROBOT_RADIUS.into())),
            field("BallRadius", digits(ball)),
            field("BallMass", digits(FRISBEE_MASS.into())),
            field("RuleGoalPauseTime", 0),
            field("RuleKickInPauseTime", 0),
            field("RuleHalfTime", self.game.length),
        ];
        fields.push(("play_modes".into(), PLAY_MODES.map(String::from).into()));
        fields
    }
}

/// Distance that robots keep from a dropped frisbee, measured between centres (m).
pub const FREE_KICK: f64 = 0.2;

fn field(name: &str, value: impl ToString) -> Field {
    (name.into(), vec![value.to_string()])
}

/// Adds the inner walls and the lamps of a world to an arena.
pub fn add_fixtures(arena: &mut Arena, world: &WorldSpec) {
    let place = |x: f32, y: f32| [f64::from(x), f64::from(y)];
    arena.walls =
        world.physics.walls.iter().map(|wall| [place(wall.from.x, wall.from.y), place(wall.to.x, wall.to.y)]).collect();
    let lamp = |light: &xpuck_kernels::world::senses::light::Light| {
        let [x, y] = place(light.at.x, light.at.y);
        [x, y, f64::from(light.height)]
    };
    arena.lamps = world.lighting.lights.iter().map(lamp).collect();
}

/// Converter from the hub's status to pictures, with the data kept between pictures.
#[derive(Clone, Debug, Default)]
pub struct Presentation {
    /// Last known pose of each body, by name: x and y (m), and heading (rad).
    places: BTreeMap<String, [f64; 3]>,
    /// Number of deliveries of the frisbee so far. Each delivery begins a relocation of the frisbee.
    deliveries: u32,
    relocating: bool,
    /// Radius of the discs (m).
    radius: f64,
}

impl Presentation {
    /// Creates a converter without data. `radius` is the radius of the discs (m); by default, that of the thesis's
    /// frisbee.
    pub fn new(radius: Option<f64>) -> Presentation {
        Presentation { radius: radius.unwrap_or(FRISBEE_RADIUS.into()), ..Presentation::default() }
    }

    /// Returns a picture of the swarm from the hub's status. Bodies other than robots are drawn as discs, and the
    /// first disc is the ball.
    pub fn picture(&mut self, status: &Status) -> GameFrame {
        for body in &status.bodies {
            self.places.insert(body.name.clone(), body.pose.map(f64::from));
        }
        let relocating = status.phase == Phase::Relocating;
        self.deliveries += u32::from(relocating && !std::mem::replace(&mut self.relocating, relocating));
        self.relocating = relocating;
        GameFrame { arena: self.arena(status), game: self.game(status) }
    }

    fn arena(&self, status: &Status) -> Arena {
        let seen = |name: &str| status.bodies.iter().any(|body| body.name == name);
        let robot = |(number, row): (u32, &xpuck_wire::RobotRow)| {
            let [x, y, heading] = self.places.get(&row.id).copied().unwrap_or_default();
            let colour = if row.alive { BLUE } else { GREY };
            Robot { number, at: [x, y], heading, radius: ROBOT_RADIUS.into(), colour, seen: seen(&row.id) }
        };
        let is_robot = |name: &str| status.robots.iter().any(|row| row.id == name);
        let discs = self.places.iter().filter(|(name, _)| !is_robot(name));
        Arena {
            half: status.half_arena.map(f64::from),
            discs: discs.map(|(_, [x, y, _])| Disc { at: [*x, *y], radius: self.radius, colour: ORANGE }).collect(),
            robots: (1..).zip(&status.robots).map(robot).collect(),
            ..Arena::default()
        }
    }

    fn game(&self, status: &Status) -> Game {
        let mode = match status.phase {
            Phase::Running => Mode::Playing,
            Phase::Relocating => Mode::Goal,
            Phase::Finished => Mode::Over,
            Phase::Idle | Phase::Preparing | Phase::Paused | Phase::Blind | Phase::Resting | Phase::Parking => {
                Mode::Idle
            }
        };
        Game {
            time: status.run_seconds,
            half: status.experiment_phase.as_ref().map_or(1, |phase| u32::from(phase.number) + 1),
            score: self.deliveries,
            mode,
            length: status.run_length,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_wire::{Body, RobotRow};

    fn status(phase: Phase, bodies: &[(&str, [f32; 3])]) -> Status {
        let row = |id: &str| RobotRow { id: id.into(), alive: true, ..RobotRow::default() };
        let bodies = bodies.iter().map(|(name, pose)| Body { name: name.to_string(), pose: *pose }).collect();
        Status { phase, bodies, robots: vec![row("xp01"), row("xp02")], half_arena: [1.0, 0.75], ..Status::default() }
    }

    #[test]
    fn untracked_robots_keep_pose_deliveries_count_as_goals() {
        let mut stage = Presentation::new(None);
        let all = [("frisbee", [0.5, 0.0, 0.0]), ("xp01", [0.1, 0.2, 1.0]), ("xp02", [0.3, 0.2, 0.0])];
        let GameFrame { arena, .. } = stage.picture(&status(Phase::Running, &all));
        assert_eq!((arena.robots.len(), arena.discs.len()), (2, 1));
        for phase in [Phase::Relocating, Phase::Relocating, Phase::Running, Phase::Relocating] {
            stage.picture(&status(phase, &all));
        }
        let picture = stage.picture(&status(Phase::Running, &all[..2]));
        let robots = &picture.arena.robots;
        assert!(!robots[1].seen && (robots[1].at[0] - 0.3).abs() < 1e-6 && robots[0].seen && robots[1].number == 2);
        let state = picture.state();
        let value = |name: &str| state.iter().find(|(field, _)| field == name).unwrap().1[0].clone();
        assert_eq!((value("score_left"), value("play_mode")), ("2".into(), "3".into()));
        assert_eq!(state[0].0, "time");
        let environment = picture.environment();
        assert_eq!((environment.len(), environment[0].1[0].as_str(), environment[14].1.len()), (15, "2", 19));
    }
}
