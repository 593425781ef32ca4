//! A swarm as viewers of football see it: the hub's status becomes an arena, its state a play mode, the frisbee's deliveries the
//! score.

use crate::scene::Field;
use crate::scene::arena::{Arena, Disc, Robot, Team};
use std::collections::BTreeMap;
use xpuck_kernels::model::{FRISBEE_MASS, FRISBEE_RADIUS, ROBOT_RADIUS};
use xpuck_wire::{Phase, Status};

/// The play modes in the order of real servers, which refer to them by their places.
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
/// Colours of robots that are heard and of those that are not, and of discs.
const BLUE: [f64; 4] = [0.1, 0.2, 1.0, 1.0];
const GREY: [f64; 4] = [0.5, 0.5, 0.5, 1.0];
const ORANGE: [f64; 4] = [1.0, 0.5, 0.0, 1.0];

/// What is remembered of a swarm from one status to the next.
#[derive(Clone, Debug, Default)]
pub struct Stage {
    /// Where everybody was seen last.
    places: BTreeMap<String, [f64; 3]>,
    /// Times that the frisbee was brought to the end and had to be put back.
    deliveries: u32,
    relocating: bool,
    /// Radius of the discs, m.
    radius: f64,
}

impl Stage {
    /// `radius` is the discs', m; the frisbee's of the thesis without.
    pub fn new(radius: Option<f64>) -> Stage {
        Stage { radius: radius.unwrap_or(FRISBEE_RADIUS.into()), ..Stage::default() }
    }

    /// The arena as the status has it. Bodies that are no robots are discs, the first of them the ball.
    pub fn arena(&mut self, status: &Status) -> Arena {
        for body in &status.bodies {
            self.places.insert(body.name.clone(), body.pose.map(f64::from));
        }
        let relocating = status.phase == Phase::Relocating;
        self.deliveries += u32::from(relocating && !std::mem::replace(&mut self.relocating, relocating));
        self.relocating = relocating;
        let seen = |name: &str| status.bodies.iter().any(|body| body.name == name);
        let robot = |row: &xpuck_wire::RobotRow| {
            let [x, y, heading] = self.places.get(&row.id).copied().unwrap_or_default();
            let colour = if row.alive { BLUE } else { GREY };
            Robot { at: [x, y], heading, radius: ROBOT_RADIUS.into(), colour, seen: seen(&row.id) }
        };
        let is_robot = |name: &str| status.robots.iter().any(|row| row.id == name);
        let discs = self.places.iter().filter(|(name, _)| !is_robot(name));
        Arena {
            half: status.half_arena.map(f64::from),
            discs: discs.map(|(_, [x, y, _])| Disc { at: [*x, *y], radius: self.radius, colour: ORANGE }).collect(),
            robots: status.robots.iter().map(robot).collect(),
            ..Arena::default()
        }
    }

    /// The state of the game, `time` first. `full` has the teams' names, too.
    pub fn state(&self, status: &Status) -> Vec<Field> {
        let mode = match status.phase {
            Phase::Running => "PlayOn",
            Phase::Relocating => "Goal_Left",
            Phase::Finished => "GameOver",
            Phase::Idle | Phase::Preparing | Phase::Paused | Phase::Blind | Phase::Resting | Phase::Parking => {
                "BeforeKickOff"
            }
        };
        let mode = PLAY_MODES.iter().position(|name| *name == mode).unwrap_or(0);
        let half = status.experiment_phase.as_ref().map_or(1, |phase| phase.number + 1);
        let mut fields = vec![
            field("time", (status.run_seconds * 100.0).round() / 100.0),
            field("half", half),
            field("score_left", self.deliveries),
            field("score_right", 0),
            field("play_mode", mode),
        ];
        fields.push(field("team_left", Team::Left.name()));
        fields.push(field("team_right", Team::Right.name()));
        fields
    }

    /// The environment: the 14 values of the document and the play modes.
    pub fn environment(&self, status: &Status) -> Vec<Field> {
        let [half_x, half_y] = status.half_arena.map(f64::from);
        let digits = |value: f64| (value * 1e6).round() / 1e6;
        let mut fields = vec![
            field("FieldLength", digits(2.0 * half_x)),
            field("FieldWidth", digits(2.0 * half_y)),
            field("FieldHeight", 2),
            field("GoalWidth", digits(2.0 * half_y)),
            field("GoalDepth", 0.1),
            field("GoalHeight", 0.05),
            field("FreeKickDistance", 0.2),
            field("WaitBeforeKickOff", 0),
            field("AgentRadius", digits(ROBOT_RADIUS.into())),
            field("BallRadius", digits(self.radius)),
            field("BallMass", digits(FRISBEE_MASS.into())),
            field("RuleGoalPauseTime", 0),
            field("RuleKickInPauseTime", 0),
            field("RuleHalfTime", status.run_length),
        ];
        fields.push(("play_modes".into(), PLAY_MODES.map(String::from).into()));
        fields
    }
}

fn field(name: &str, value: impl ToString) -> Field {
    (name.into(), vec![value.to_string()])
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
    fn robots_keep_their_places_while_nobody_sees_them_and_deliveries_are_goals() {
        let mut stage = Stage::new(None);
        let all = [("frisbee", [0.5, 0.0, 0.0]), ("xp01", [0.1, 0.2, 1.0]), ("xp02", [0.3, 0.2, 0.0])];
        let arena = stage.arena(&status(Phase::Running, &all));
        assert_eq!((arena.robots.len(), arena.discs.len()), (2, 1));
        for phase in [Phase::Relocating, Phase::Relocating, Phase::Running, Phase::Relocating] {
            stage.arena(&status(phase, &all));
        }
        let arena = stage.arena(&status(Phase::Running, &all[..2]));
        assert!(!arena.robots[1].seen && (arena.robots[1].at[0] - 0.3).abs() < 1e-6 && arena.robots[0].seen);
        let state = stage.state(&status(Phase::Running, &[]));
        let value = |name: &str| state.iter().find(|(field, _)| field == name).unwrap().1[0].clone();
        assert_eq!((value("score_left"), value("play_mode")), ("2".into(), "3".into()));
        assert_eq!(state[0].0, "time");
        let environment = stage.environment(&status(Phase::Idle, &[]));
        assert_eq!((environment.len(), environment[0].1[0].as_str(), environment[14].1.len()), (15, "2", 19));
    }
}
