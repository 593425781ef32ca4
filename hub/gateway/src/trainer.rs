//! Commands of trainers on the monitor port (SimSpark wiki, "Network Protocol", "Command Messages from Coach/Trainer").
//!
//! Real servers read commands side by side, `(ball ...)(getAck c)`; the document's nested form, `((ball ...)(getAck c))`, is read as well.
//! What is not known is told beside the commands, since a sender gets no answer: the rest of the message counts.

use crate::sexpr::{Expression, SyntaxError, parse};

/// A side of the field, which is a team.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The left one.
    Left,
    /// The right one.
    Right,
}

/// A robot: its side, and its number in the team.
pub type Who = (Side, u32);

/// Something to do.
#[derive(Clone, Debug, PartialEq)]
pub enum Command {
    /// A viewer is there: nothing is to be done.
    Hello,
    /// With a robot.
    Agent(Who, Vec<AgentAction>),
    /// With the ball: where it is from now on, m, and how fast, m/s; a speed also ends its spin.
    Ball {
        /// Its place.
        at: Option<[f64; 3]>,
        /// Its velocity.
        velocity: Option<[f64; 3]>,
    },
    /// The play mode from now on, by its name.
    PlayMode(String),
    /// The ball comes to rest where it is, within the field, and robots make room.
    DropBall,
    /// A kick-off; of either side if none is named.
    KickOff(Option<Side>),
    /// A robot is selected; none: no robot is any more.
    Select(Option<Who>),
    /// The next robot is selected.
    SelectNext,
    /// A robot leaves; none: the selected one.
    Kill(Option<Who>),
    /// A robot goes to its place beside the field; none: the selected one.
    Reposition(Option<Who>),
    /// Everything is sent anew.
    FullState,
    /// The time of the game, s.
    Time(f64),
    /// The score, left and right.
    Score(u32, u32),
    /// The sender is told when what stands before it is done: this word.
    Acknowledge(String),
}

impl Command {
    /// The word that it begins with.
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

/// What is done with a robot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum AgentAction {
    /// It is put here, m, and looks where it looked.
    Place([f64; 3]),
    /// It is put here, m, rests, and looks there, degrees counter-clockwise from +x.
    Move([f64; 3], f64),
    /// Charge of its battery.
    Battery(f64),
    /// Its temperature.
    Temperature(f64),
}

/// Reads a message: its commands in their order, and a line for everything that is none.
///
/// # Errors
/// It is no S-expression; then there is nothing to do.
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
    let name = list.name().ok_or("a command has a name")?;
    let word = || list.values().next().and_then(|value| value.word());
    match name {
        "agent" => {
            let who = who(list)?.ok_or("agent: unum and team are wanted, both")?;
            list.values().filter_map(|part| action(&part)).collect::<Result<_, _>>().map(|all| Command::Agent(who, all))
        }
        "ball" => Ok(Command::Ball { at: numbers(list, "pos")?, velocity: numbers(list, "vel")? }),
        "playMode" => word().map(|mode| Command::PlayMode(mode.into())).ok_or("playMode: a mode is wanted".into()),
        "dropBall" => Ok(Command::DropBall),
        "kickOff" => Ok(Command::KickOff(word().and_then(side))),
        "select" => match number(list)? {
            Some(number) if number < 0.0 => Ok(Command::Select(None)),
            _ => Ok(who(list)?.map_or(Command::SelectNext, |who| Command::Select(Some(who)))),
        },
        "kill" => Ok(Command::Kill(who(list)?)),
        "repos" => Ok(Command::Reposition(who(list)?)),
        "reqfullstate" => Ok(Command::FullState),
        // What rcssmonitor3d says when it has connected, and hears nothing of.
        "init" => Ok(Command::Hello),
        "time" => match list.numbers() {
            Some([seconds]) if (0.0..=f64::MAX).contains(&seconds) => Ok(Command::Time(seconds)),
            _ => Err("time: seconds from 0 on are wanted".into()),
        },
        "score" => {
            let goals = |side| numbers::<1>(list, side).ok().flatten().filter(|[n]| (0.0..=1e9).contains(n));
            match (goals("left"), goals("right")) {
                (Some([left]), Some([right])) => Ok(Command::Score(left as u32, right as u32)),
                _ => Err("score: (left N) and (right N) are wanted, both".into()),
            }
        }
        "getAck" => word().map(|cookie| Command::Acknowledge(cookie.into())).ok_or("getAck: a word is wanted".into()),
        other => Err(format!("`{other}` is no command")),
    }
}

fn part<'e>(list: &Expression<'e>, name: &str) -> Option<Expression<'e>> {
    list.values().find(|part| part.name() == Some(name))
}

/// The finite numbers of a part; none if there is no such part.
fn numbers<const N: usize>(list: &Expression<'_>, name: &str) -> Result<Option<[f64; N]>, String> {
    let Some(part) = part(list, name) else { return Ok(None) };
    match part.numbers::<N>().filter(|numbers| numbers.iter().all(|number| number.is_finite())) {
        Some(numbers) => Ok(Some(numbers)),
        None => Err(format!("{name}: {N} numbers are wanted")),
    }
}

fn number(list: &Expression<'_>) -> Result<Option<f64>, String> {
    Ok(numbers::<1>(list, "unum")?.map(|[number]| number))
}

fn side(word: &str) -> Option<Side> {
    match word {
        "Left" => Some(Side::Left),
        "Right" => Some(Side::Right),
        // A team that is not known counts as none, as in real servers.
        _ => None,
    }
}

/// The robot that a command names; none unless it names number and team.
fn who(list: &Expression<'_>) -> Result<Option<Who>, String> {
    let number = match number(list)? {
        // A number that is garbled must not stand for the selected robot.
        Some(number) if !(0.0..=1e6).contains(&number) || number.fract() != 0.0 => {
            return Err(format!("unum: no robot has the number {number}"));
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
    Some(action.ok_or_else(|| format!("agent: {name} has not the numbers that are wanted")))
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
            assert!(commands == [Command::DropBall] && errors[0].starts_with("unum: no robot"), "{number}: {errors:?}");
        }
        let (commands, errors) = read(b"(select (unum 4294967298)(team Left))").unwrap();
        assert!(commands.is_empty() && errors.len() == 1, "{commands:?}");
    }

    #[test]
    fn what_is_wrong_is_told_and_the_rest_counts() {
        let text =
            "(nonsense 1)(agent (unum 1)(pos 0 0 0))(ball (pos 1 nan 0))(time -1)(score (left 1))(playMode)(dropBall)";
        let (commands, errors) = read(text.as_bytes()).unwrap();
        assert_eq!(commands, [Command::DropBall]);
        assert_eq!(errors.len(), 6, "{errors:?}");
        assert!(errors[0].contains("`nonsense` is no command") && errors[2].contains("pos: 3 numbers"), "{errors:?}");
        assert!(read(b"(ball (pos").is_err());
    }
}
