//! Trainer commands on the monitor port (SimSpark wiki, "Network Protocol", "Command Messages from Coach/Trainer").
//!
//! Real servers read consecutive commands, `(ball ...)(getAck c)`. The nested form on the wiki's page, `((ball
//! ...)(getAck c))`, is also accepted. An unknown command is returned as an error, because its sender gets no answer.
//! The other commands of the message are still used.

use crate::sexpr::{Expression, SyntaxError, parse};

/// Side of the field, which identifies the team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// Left team.
    Left,
    /// Right team.
    Right,
}

/// Reference to a robot: the side of its team, and its number in the team.
pub type RobotRef = (Side, u32);

/// Command of a trainer.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// Announces a viewer, and has no effect.
    Hello,
    /// Actions on a robot.
    Agent(RobotRef, Vec<AgentAction>),
    /// Sets the position and the velocity of the ball. A velocity also ends the ball's rotation.
    Ball {
        /// New position (m); `None`: unchanged.
        at: Option<[f64; 3]>,
        /// New velocity (m/s); `None`: unchanged.
        velocity: Option<[f64; 3]>,
    },
    /// Sets the play mode by its name.
    PlayMode(String),
    /// Stops the ball at its position, or at the nearest position on the field. Robots move away from the ball.
    DropBall,
    /// Requests the kick-off of a side; `None`: of either side.
    KickOff(Option<Side>),
    /// Selects a robot; `None` clears the selection.
    Select(Option<RobotRef>),
    /// Selects the next robot.
    SelectNext,
    /// Removes a robot; `None`: the selected robot.
    Kill(Option<RobotRef>),
    /// Moves a robot to its position beside the field; `None`: the selected robot.
    Reposition(Option<RobotRef>),
    /// Requests the whole scene.
    FullState,
    /// Sets the game time (s).
    Time(f64),
    /// Sets the scores of the left and the right team.
    Score(u32, u32),
    /// Requests an acknowledgement with the given word after the preceding commands are done.
    Acknowledge(String),
}

impl Command {
    /// Returns the first word of the command.
    pub fn name(&self) -> &'static str {
        match self {
            Command::Agent(..) => "agent",
            Command::Ball { .. } => "ball",
            Command::PlayMode(_) => "playMode",
            Command::DropBall => "dropBall",
            Command::KickOff(_) => "kickOff",
            Command::Select(_) | Command::SelectNext => "select",
            Command::Kill(_) => "kill",
            Command::Reposition(_) => "repos",
            Command::FullState => "reqfullstate",
            Command::Time(_) => "time",
            Command::Score(..) => "score",
            Command::Acknowledge(_) => "getAck",
            Command::Hello => "init",
        }
    }
}

/// Action on a robot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AgentAction {
    /// Sets the robot's position (m) and keeps its heading.
    Place([f64; 3]),
    /// Sets the robot's position (m) and its heading, counter-clockwise from +x (degrees). The robot stops.
    Move([f64; 3], f64),
    /// Sets the charge of the robot's battery.
    Battery(f64),
    /// Sets the robot's temperature.
    Temperature(f64),
}

/// Parses a message. Returns its commands in order, and an error line for each invalid command.
///
/// # Errors
/// The message does not consist of S-expressions. In this case, the whole message is discarded.
pub fn read(message: &[u8]) -> Result<(Vec<Command>, Vec<String>), SyntaxError> {
    let all = parse(message)?;
    let (mut commands, mut errors) = (Vec::new(), Vec::new());
    for expression in all.iter() {
        let nested = expression.items().next().is_some_and(|first| first.word().is_none());
        let mut take = |one: Expression<'_>| match command(&one) {
            Ok(command) => commands.push(command),
            Err(why) => errors.push(why),
        };
        if nested { expression.items().for_each(take) } else { take(expression) }
    }
    Ok((commands, errors))
}

fn command(list: &Expression<'_>) -> Result<Command, String> {
    let name = list.name().ok_or("a command must have a name")?;
    let word = || list.values().next().and_then(|value| value.word());
    match name {
        "agent" => {
            let who = who(list)?.ok_or("agent: both unum and team are required")?;
            list.values().filter_map(|part| action(&part)).collect::<Result<_, _>>().map(|all| Command::Agent(who, all))
        }
        "ball" => Ok(Command::Ball { at: numbers(list, "pos")?, velocity: numbers(list, "vel")? }),
        "playMode" => word().map(|mode| Command::PlayMode(mode.into())).ok_or("playMode: a mode is missing".into()),
        "dropBall" => Ok(Command::DropBall),
        "kickOff" => Ok(Command::KickOff(word().and_then(side))),
        "select" => match number(list)? {
            Some(number) if number < 0.0 => Ok(Command::Select(None)),
            _ => Ok(who(list)?.map_or(Command::SelectNext, |who| Command::Select(Some(who)))),
        },
        "kill" => Ok(Command::Kill(who(list)?)),
        "repos" => Ok(Command::Reposition(who(list)?)),
        "reqfullstate" => Ok(Command::FullState),
        // The viewer rcssmonitor3d sends this command after connecting. It expects no answer.
        "init" => Ok(Command::Hello),
        "time" => match list.numbers() {
            Some([seconds]) if (0.0..=f64::MAX).contains(&seconds) => Ok(Command::Time(seconds)),
            _ => Err("time: must be a number of seconds, 0 or more".into()),
        },
        "score" => {
            let goals = |side| numbers::<1>(list, side).ok().flatten().filter(|[n]| (0.0..=1e9).contains(n));
            match (goals("left"), goals("right")) {
                (Some([left]), Some([right])) => Ok(Command::Score(left as u32, right as u32)),
                _ => Err("score: both (left N) and (right N) are required".into()),
            }
        }
        "getAck" => word().map(|cookie| Command::Acknowledge(cookie.into())).ok_or("getAck: a word is missing".into()),
        other => Err(format!("unknown command `{other}`")),
    }
}

fn part<'e>(list: &Expression<'e>, name: &str) -> Option<Expression<'e>> {
    list.values().find(|part| part.name() == Some(name))
}

/// Returns the finite numbers of the part `name`; `None` if the command lacks this part.
fn numbers<const N: usize>(list: &Expression<'_>, name: &str) -> Result<Option<[f64; N]>, String> {
    let Some(part) = part(list, name) else { return Ok(None) };
    match part.numbers::<N>().filter(|numbers| numbers.iter().all(|number| number.is_finite())) {
        Some(numbers) => Ok(Some(numbers)),
        None => Err(format!("{name}: {N} numbers are required")),
    }
}

fn number(list: &Expression<'_>) -> Result<Option<f64>, String> {
    Ok(numbers::<1>(list, "unum")?.map(|[number]| number))
}

fn side(word: &str) -> Option<Side> {
    match word {
        "Left" => Some(Side::Left),
        "Right" => Some(Side::Right),
        // An unknown team is treated as missing, as in real servers.
        _ => None,
    }
}

/// Returns the robot to which a command refers; `None` unless the command gives both its number and its team.
fn who(list: &Expression<'_>) -> Result<Option<RobotRef>, String> {
    let number = match number(list)? {
        // An invalid number must not select the default robot.
        Some(number) if !(0.0..=1e6).contains(&number) || number.fract() != 0.0 => {
            return Err(format!("unum: robot {number} does not exist"));
        }
        number => number.map(|number| number as u32),
    };
    let team = part(list, "team").and_then(|team| side(team.values().next()?.word()?));
    Ok(team.zip(number))
}

fn action(part: &Expression<'_>) -> Option<Result<AgentAction, String>> {
    let finite = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
    let one = || part.numbers::<1>().filter(|numbers| finite(numbers)).map(|[number]| number);
    let name = part.name()?;
    let action = match name {
        "pos" => part.numbers().filter(|numbers: &[f64; 3]| finite(numbers)).map(AgentAction::Place),
        "move" => part
            .numbers()
            .filter(|numbers: &[f64; 4]| finite(numbers))
            .map(|[x, y, z, turn]| AgentAction::Move([x, y, z], turn)),
        "battery" => one().map(AgentAction::Battery),
        "temperature" => one().map(AgentAction::Temperature),
        _ => return None,
    };
    Some(action.ok_or_else(|| format!("agent: {name} does not have the required numbers")))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commands(text: &str) -> Vec<Command> {
        let (commands, errors) = read(text.as_bytes()).unwrap();
        assert_eq!(errors, [""; 0], "{text}");
        commands
    }

    #[test]
    fn all_that_roboviz_sends_is_read() {
        assert_eq!(commands("(kickOff Left)"), [Command::KickOff(Some(Side::Left))]);
        assert_eq!(commands("(dropBall)\0"), [Command::DropBall]);
        let ball = Command::Ball { at: Some([1.0, -2.0, 0.05]), velocity: Some([0.0, 0.0, 0.0]) };
        assert_eq!(commands("(ball (pos 1.00 -2.00 0.05) (vel 0.00 0.00 0.00))"), [ball]);
        assert_eq!(commands("(playMode PlayOn)"), [Command::PlayMode("PlayOn".into())]);
        let place = Command::Agent((Side::Right, 3), vec![AgentAction::Place([0.5, 0.0, 0.1])]);
        assert_eq!(commands("(agent (team Right)(unum 3)(pos 0.50 0.00 0.10))"), [place]);
        assert_eq!(commands("(time 0)(reqfullstate)"), [Command::Time(0.0), Command::FullState]);
    }

    #[test]
    fn both_forms_of_an_acknowledged_command_are_read() {
        let ball = Command::Ball { at: Some([0.0, 0.0, 50.0]), velocity: None };
        let both = [ball, Command::Acknowledge("moved".into())];
        assert_eq!(commands("((ball (pos 0 0 50))(getAck moved))"), both);
        assert_eq!(commands("(ball (pos 0 0 50))(getAck moved)"), both);
    }

    #[test]
    fn robots_are_named_by_number_and_team_and_chosen_without() {
        let left = Some((Side::Left, 2));
        assert_eq!(commands("(kill (unum 2)(team Left))(kill)"), [Command::Kill(left), Command::Kill(None)]);
        assert_eq!(commands("(repos (team None)(unum 2))"), [Command::Reposition(None)]);
        let selected = commands("(select (unum 2)(team Left))(select)(select (unum -1))");
        assert_eq!(selected, [Command::Select(left), Command::SelectNext, Command::Select(None)]);
        let moved = Command::Agent(
            (Side::Left, 1),
            vec![AgentAction::Move([1.0, 2.0, 0.0], 90.0), AgentAction::Battery(50.0), AgentAction::Temperature(30.0)],
        );
        assert_eq!(commands("(agent (unum 1)(team Left)(move 1 2 0 90)(battery 50)(temperature 30))"), [moved]);
        assert_eq!(commands("(score (left 2)(right 1))"), [Command::Score(2, 1)]);
    }

    #[test]
    fn number_that_no_robot_has_is_refused() {
        for number in ["4294967298", "99999999999", "-1", "1.5"] {
            let (commands, errors) = read(format!("(kill (unum {number})(team Left))(dropBall)").as_bytes()).unwrap();
            assert!(commands == [Command::DropBall] && errors[0].starts_with("unum: robot "), "{number}: {errors:?}");
        }
        let (commands, errors) = read(b"(select (unum 4294967298)(team Left))").unwrap();
        assert!(commands.is_empty() && errors.len() == 1, "{commands:?}");
    }

    #[test]
    fn invalid_commands_are_reported_and_valid_ones_kept() {
        let text =
            "(nonsense 1)(agent (unum 1)(pos 0 0 0))(ball (pos 1 nan 0))(time -1)(score (left 1))(playMode)(dropBall)";
        let (commands, errors) = read(text.as_bytes()).unwrap();
        assert_eq!(commands, [Command::DropBall]);
        assert_eq!(errors.len(), 6, "{errors:?}");
        assert!(errors[0].contains("unknown command `nonsense`") && errors[2].contains("pos: 3 numbers"), "{errors:?}");
        assert!(read(b"(ball (pos").is_err());
    }
}
