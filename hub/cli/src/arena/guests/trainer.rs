//! Execution of trainers' commands in a virtual arena. Trainers are viewers that may move bodies.

use xpuck_arena::Arena;
use xpuck_gateway::scene::arena::NUMBERS;
use xpuck_gateway::stage::FREE_KICK;
use xpuck_gateway::trainer::{AgentAction, Command, RobotRef, Side};
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::model::ROBOT_RADIUS;

/// Common state of all trainers: the selected robot.
#[derive(Default)]
pub struct Trainer {
    selected: Option<usize>,
}

impl Trainer {
    /// Executes a command.
    ///
    /// # Errors
    /// The command is not possible. The error states the reason in one line.
    pub fn obey(&mut self, arena: &mut Arena, command: &Command) -> Result<(), String> {
        match command {
            Command::Agent(who, actions) => {
                let robot = robot(arena, *who)?;
                actions.iter().try_for_each(|action| act(arena, robot, action))
            }
            Command::Ball { at, velocity } => ball(arena, *at, *velocity),
            Command::DropBall => {
                let disc = arena.robots();
                let at = arena.bodies().get(disc).ok_or("the arena has no ball")?.pose.at;
                put(arena, disc, at, None)?;
                make_room(arena)
            }
            Command::KickOff(_) => {
                let disc = arena.robots();
                put(arena, disc, Vec2::ZERO, None)?;
                make_room(arena)
            }
            Command::Select(who) => {
                self.selected = who.map(|who| robot(arena, who)).transpose()?;
                Ok(())
            }
            Command::SelectNext => {
                let count = arena.robots();
                let first = self.selected.map_or(0, |robot| robot + 1);
                self.selected = (0..count).map(|i| (first + i) % count).find(|robot| !arena.is_removed(*robot));
                self.selected.map(drop).ok_or("the arena has no robot".into())
            }
            Command::Kill(who) => {
                let robot = self.meant(arena, *who)?;
                arena.remove(robot);
                self.selected = self.selected.filter(|selected| *selected != robot);
                Ok(())
            }
            Command::Reposition(who) => {
                let robot = self.meant(arena, *who)?;
                put(arena, robot, beside(arena, robot), None)
            }
            // RoboViz sets the clock to 0 for each new game. The command is ignored, and the arena's clock continues.
            Command::Hello | Command::Time(0.0) => Ok(()),
            Command::PlayMode(_) | Command::Time(_) | Command::Score(..) => {
                Err("only the hub's operators can control the run, with signed requests".into())
            }
            // The viewers' servers handle these commands.
            Command::FullState | Command::Acknowledge(_) => Ok(()),
        }
    }

    /// Returns the index of the robot `who`, or of the selected robot if `who` is `None`.
    fn meant(&self, arena: &Arena, who: Option<RobotRef>) -> Result<usize, String> {
        let selected = self.selected.filter(|robot| !arena.is_removed(*robot));
        who.map_or(selected.ok_or("no robot is named or selected".into()), |who| robot(arena, who))
    }
}

/// Returns the index of a robot in the swarm. The first eleven robots form the left team, and the next eleven the right
/// team. Fails if the team has no robot with this number, or if the robot was removed.
fn robot(arena: &Arena, (side, number): RobotRef) -> Result<usize, String> {
    let first = if side == Side::Left { 0 } else { NUMBERS };
    let place = number.checked_sub(1).filter(|place| *place < NUMBERS).map(|place| (first + place) as usize);
    let place = place.filter(|place| *place < arena.robots() && !arena.is_removed(*place));
    place.ok_or_else(|| format!("the {} team has no robot {number}", format!("{side:?}").to_lowercase()))
}

fn act(arena: &mut Arena, robot: usize, action: &AgentAction) -> Result<(), String> {
    match action {
        AgentAction::Place([x, y, _]) => put(arena, robot, place(*x, *y), None),
        AgentAction::Move([x, y, _], degrees) => put(arena, robot, place(*x, *y), Some(heading(*degrees))),
        AgentAction::Battery(percent) => {
            arena.charge(robot, percent / 100.0);
            Ok(())
        }
        AgentAction::Temperature(_) => Err("robots of the virtual arena have no temperature".into()),
    }
}

fn ball(arena: &mut Arena, at: Option<[f64; 3]>, velocity: Option<[f64; 3]>) -> Result<(), String> {
    let disc = arena.robots();
    let before = arena.bodies().get(disc).ok_or("the arena has no ball")?.velocity;
    if let Some([x, y, _]) = at {
        put(arena, disc, place(x, y), None)?;
        // `put` stops the disc. The previous velocity is restored, in case the command does not set another one.
        arena.push(0, before);
    }
    if let Some([x, y, _]) = velocity {
        arena.push(0, place(x, y));
    }
    Ok(())
}

/// Converts a position (m) to `f32` and limits its coordinates to +-1e6 m. Positions at this limit are far outside the
/// walls and need not be exact.
pub(super) fn place(x: f64, y: f64) -> Vec2 {
    vec2(x.clamp(-1e6, 1e6) as f32, y.clamp(-1e6, 1e6) as f32)
}

/// Converts a heading from degrees to rad (0 to 2 pi).
pub(super) fn heading(degrees: f64) -> f32 {
    degrees.rem_euclid(360.0).to_radians() as f32
}

fn put(arena: &mut Arena, body: usize, at: Vec2, heading: Option<f32>) -> Result<(), String> {
    arena
        .put(body, at, heading)
        .map(drop)
        .ok_or_else(|| format!("no free space within 0.5 m of ({:.2}, {:.2})", at.x, at.y))
}

/// Moves robots away from the ball. Each robot whose distance from the ball is less than the free kick distance is
/// moved to exactly that distance.
fn make_room(arena: &mut Arena) -> Result<(), String> {
    let ball = arena.bodies().get(arena.robots()).ok_or("the arena has no ball")?.pose.at;
    for robot in 0..arena.robots() {
        let away = arena.bodies()[robot].pose.at - ball;
        let distance = away.length();
        if !arena.is_removed(robot) && distance < FREE_KICK as f32 {
            let direction = if distance > 0.0 { away * (1.0 / distance) } else { vec2(1.0, 0.0) };
            put(arena, robot, ball + direction * FREE_KICK as f32, None)?;
        }
    }
    Ok(())
}

/// Returns the position to which a robot is moved out of play. The position is on the half of the robot's team, at the
/// long wall that is farther from the ball. The robot's number determines x.
fn beside(arena: &Arena, robot: usize) -> Vec2 {
    let (half_x, half_y) = arena.half_arena();
    let ball = arena.bodies().get(arena.robots()).map_or(Vec2::ZERO, |disc| disc.pose.at);
    let number = robot as u32 % NUMBERS + 1;
    let side = if (robot as u32) < NUMBERS { -1.0 } else { 1.0 };
    let x = side * half_x * number as f32 / (NUMBERS + 1) as f32;
    vec2(x, (half_y - ROBOT_RADIUS) * if ball.y > 0.0 { -1.0 } else { 1.0 })
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_arena::Settings;
    use xpuck_gateway::trainer;

    fn arena(robots: usize) -> Arena {
        Arena::new(&Settings::with_defaults(robots, "/nonexistent")).unwrap()
    }

    /// Executes the commands of a message and returns the rejections.
    fn obey(arena: &mut Arena, trainer: &mut Trainer, message: &str) -> Vec<String> {
        let (commands, errors) = trainer::read(message.as_bytes()).unwrap();
        assert_eq!(errors, [""; 0], "{message}");
        commands.iter().filter_map(|command| trainer.obey(arena, command).err()).collect()
    }

    #[test]
    fn robots_and_the_ball_go_where_trainers_want_them() {
        let (mut arena, mut trainer) = (arena(13), Trainer::default());
        let mut done =
            |message: &str, arena: &mut Arena| assert_eq!(obey(arena, &mut trainer, message), [""; 0], "{message}");
        done("(agent (team Left)(unum 2)(move 0.4 0.3 0 90)(battery 25))", &mut arena);
        let robot = &arena.bodies()[1];
        assert!(
            (robot.pose.at.x - 0.4).abs() < 1e-6 && (robot.pose.heading - std::f32::consts::FRAC_PI_2).abs() < 1e-4
        );
        assert!((arena.battery(1).charge() - 0.25).abs() < 1e-9);
        done("(agent (unum 2)(team Right)(pos -0.4 0.3 0))", &mut arena);
        assert!((arena.bodies()[12].pose.at.x + 0.4).abs() < 1e-6, "the thirteenth robot");
        done("(ball (pos 0.1 -0.3 0.05) (vel 0.5 0.00 0.00))", &mut arena);
        let disc = &arena.bodies()[13];
        assert!((disc.pose.at.x - 0.1).abs() < 1e-6 && (disc.velocity.x - 0.5).abs() < 1e-6);
        done("(agent (unum 2)(team Left)(pos 0.1 -0.45 0))(dropBall)", &mut arena);
        let ball = arena.bodies()[13];
        assert_eq!(ball.velocity, Vec2::ZERO);
        assert!((arena.bodies()[1].pose.at - ball.pose.at).length() > FREE_KICK as f32 - 1e-3);
        done("(kickOff Left)", &mut arena);
        assert!(arena.bodies()[13].pose.at.length() < 0.3);
        done("(select (unum 1)(team Left))(repos)", &mut arena);
        assert!(arena.bodies()[0].pose.at.y.abs() > 0.7);
        done("(select)(kill)", &mut arena);
        assert!(arena.is_removed(1) && !arena.is_removed(0));
        done("(kill (unum 1)(team Left))(select)", &mut arena);
        assert!(arena.is_removed(0));
    }

    #[test]
    fn unsupported_trainer_commands_are_rejected() {
        let (mut arena, mut trainer) = (arena(1), Trainer::default());
        let before = arena.bodies().to_vec();
        let refused = obey(
            &mut arena,
            &mut trainer,
            "(playMode PlayOn)(time 3)(score (left 1)(right 0))(kill)(agent (unum 2)(team Left)(pos 0 0 0))\
             (agent (unum 1)(team Left)(temperature 30))(agent (unum 1)(team Right)(pos 0 0 0))",
        );
        assert_eq!(refused.len(), 7, "{refused:?}");
        assert!(refused[0].contains("signed requests") && refused[3].contains("no robot is named"), "{refused:?}");
        assert!(
            refused[4].contains("the left team has no robot 2") && refused[5].contains("no temperature"),
            "{refused:?}"
        );
        assert!(arena.bodies().iter().zip(&before).all(|(now, before)| now.pose.at == before.pose.at));
    }
}
