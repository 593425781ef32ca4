//! Messages of the agent port in SimSpark's format. The server sends perceptors to the agent in each cycle, and
//! receives effectors from the agent.
//!
//! An e-puck has two wheels in place of joints, `lw` and `rw`. The wheels have `HJ` perceptors, and the effectors `lwe`
//! and `rwe`, with the aliases `he1` and `he2` of SimSpark agents. The eight proximity sensors, `ps0` to `ps7`, are
//! touch perceptors.

use crate::sexpr::{SyntaxError, parse};
use std::fmt::Write;

/// Maximum length of a word that a robot broadcasts, as in SimSpark (bytes).
pub const LONGEST_WORD: usize = 20;

/// Request of an agent.
#[derive(Clone, Debug, PartialEq)]
pub enum Effector {
    /// Requests a body. The agent always gets an e-puck; the robot model in the request is ignored.
    Scene,
    /// Identifies the agent by the name of its team and its number in the team. 0 requests any number.
    Init(String, u32),
    /// Sets the speed of a wheel (rad/s).
    Wheel(Wheel, f64),
    /// Requests a new pose: x, y (m) and heading (degrees).
    Beam([f64; 3]),
    /// Broadcasts a word of at most [`LONGEST_WORD`] bytes.
    Broadcast(String),
    /// Sets the colour of the LEDs: red, green, blue, each 0 to 1.
    Leds([f64; 3]),
    /// Ends the agent's cycle; in step mode the next cycle may begin.
    Sync,
}

/// Side of a wheel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wheel {
    /// Left wheel.
    Left,
    /// Right wheel.
    Right,
}

/// Parses a message of an agent. Skips unknown and incomplete effectors, as other servers do.
///
/// # Errors
/// The message is not an S-expression; the caller must discard the whole message.
pub fn read(message: &[u8]) -> Result<Vec<Effector>, SyntaxError> {
    let all = parse(message)?;
    let effector = |list: crate::sexpr::Expression<'_>| {
        let word = || list.values().next().and_then(|value| value.word());
        let named = |name: &str| list.values().find(|part| part.name() == Some(name))?.values().next()?.word();
        let finite = |numbers: &[f64]| numbers.iter().all(|number| number.is_finite());
        let speed = || list.numbers::<1>().filter(|numbers| finite(numbers)).map(|[speed]| speed);
        match list.name()? {
            "scene" | "create" => Some(Effector::Scene),
            "init" => Some(Effector::Init(named("teamname")?.into(), named("unum")?.parse().ok()?)),
            "lwe" | "he1" => Some(Effector::Wheel(Wheel::Left, speed()?)),
            "rwe" | "he2" => Some(Effector::Wheel(Wheel::Right, speed()?)),
            "beam" => list.numbers().filter(|numbers: &[f64; 3]| finite(numbers)).map(Effector::Beam),
            "say" => word().filter(|word| may_say(word)).map(|word| Effector::Broadcast(word.into())),
            "leds" => list
                .numbers()
                .filter(|colour: &[f64; 3]| colour.iter().all(|part| (0.0..=1.0).contains(part)))
                .map(Effector::Leds),
            "syn" => Some(Effector::Sync),
            _ => None,
        }
    };
    Ok(all.iter().filter_map(effector).collect())
}

fn may_say(word: &str) -> bool {
    word.len() <= LONGEST_WORD && word.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Perceptors of one cycle. As in the protocol, angles are in degrees, and positions are relative to the robot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Perception {
    /// Server time (s).
    pub now: f64,
    /// Number and side of the agent in the first cycle after `Init`; `None` in all other cycles.
    pub joined: Option<(u32, &'static str)>,
    /// Number of goals of the left and the right team.
    pub score: [u32; 2],
    /// Time in the game (s).
    pub game: f64,
    /// Name of the play mode.
    pub play_mode: String,
    /// Proprioception; `None` before the agent has a body.
    pub body: Option<Proprioception>,
    /// Objects in the camera picture; `None` in cycles without a camera picture.
    pub seen: Option<Vec<Detection>>,
    /// Words heard from all robots.
    pub heard: Vec<HeardWord>,
}

/// Proprioception of a robot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Proprioception {
    /// Angular velocity about the x, y and z axis (degrees/s).
    pub turning: [f64; 3],
    /// Acceleration along the x, y and z axis (m/s^2).
    pub acceleration: [f64; 3],
    /// Angle by which the left and the right wheel have turned (degrees).
    pub wheels: [f64; 2],
    /// Whether each proximity sensor, `ps0` to `ps7`, detects an object.
    pub touched: [bool; 8],
}

/// Detected object. Its position is given by its distance (m) and its angles to the left and upwards (degrees).
#[derive(Clone, Debug, PartialEq)]
pub enum Detection {
    /// Position of the ball.
    Ball([f64; 3]),
    /// Team, number and position of a robot.
    Robot(String, u32, [f64; 3]),
}

/// Word received from a robot.
#[derive(Clone, Debug, PartialEq)]
pub struct HeardWord {
    /// Team of the sender.
    pub team: String,
    /// Game time at which the word was sent (s).
    pub time: f64,
    /// Direction towards the sender (degrees); `None` if the robot itself sent the word.
    pub from: Option<f64>,
    /// Text of the word.
    pub word: String,
}

/// Formats the perceptors of a cycle. Floats have two decimals, as in SimSpark.
pub fn write(told: &Perception) -> String {
    let mut text = format!("(time (now {:.2}))(GS ", told.now);
    if let Some((number, side)) = told.joined {
        let _ = write!(text, "(unum {number}) (team {side}) ");
    }
    let [left, right] = told.score;
    let _ = write!(text, "(sl {left}) (sr {right}) (t {:.2}) (pm {}))", told.game, told.play_mode);
    if let Some(body) = &told.body {
        write_body(&mut text, body);
    }
    if let Some(seen) = &told.seen {
        text.push_str("(See");
        for one in seen {
            let _ = match one {
                Detection::Ball([away, left, up]) => write!(text, " (B (pol {away:.2} {left:.2} {up:.2}))"),
                Detection::Robot(team, number, [away, left, up]) => {
                    write!(text, " (P (team {team}) (id {number}) (head (pol {away:.2} {left:.2} {up:.2})))")
                }
            };
        }
        text.push(')');
    }
    for HeardWord { team, time, from, word } in &told.heard {
        let from = from.map_or("self".into(), |degrees| format!("{degrees:.2}"));
        let _ = write!(text, "(hear {team} {time:.2} {from} {word})");
    }
    text
}

fn write_body(text: &mut String, body: &Proprioception) {
    let ([tx, ty, tz], [ax, ay, az]) = (body.turning, body.acceleration);
    let _ = write!(text, "(GYR (n torso) (rt {tx:.2} {ty:.2} {tz:.2}))(ACC (n torso) (a {ax:.2} {ay:.2} {az:.2}))");
    for (name, turned) in ["lw", "rw"].into_iter().zip(body.wheels) {
        let _ = write!(text, "(HJ (n {name}) (ax {turned:.2}))");
    }
    for (i, touched) in body.touched.into_iter().enumerate() {
        let _ = write!(text, "(TCH n ps{i} val {})", u8::from(touched));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_of_real_agents_are_parsed() {
        let hello = "(scene rsg/agent/nao/nao_hetero.rsg 0)(init (unum 0)(teamname Xpuck))(syn)";
        let expected = [Effector::Scene, Effector::Init("Xpuck".into(), 0), Effector::Sync];
        assert_eq!(read(hello.as_bytes()).unwrap(), expected);
        let moves = "(lwe 3.5)(rwe -2)(he1 1.0)(he3 1.0)(beam -0.5 0 90)(say hello_swarm)(nonsense 1 2)(leds 0 0 1)";
        let expected = [
            Effector::Wheel(Wheel::Left, 3.5),
            Effector::Wheel(Wheel::Right, -2.0),
            Effector::Wheel(Wheel::Left, 1.0),
            Effector::Beam([-0.5, 0.0, 90.0]),
            Effector::Broadcast("hello_swarm".into()),
            Effector::Leds([0.0, 0.0, 1.0]),
        ];
        assert_eq!(read(moves.as_bytes()).unwrap(), expected);
        assert!(read(b"(say bad(paren)").is_err());
        let bad = "(lwe nan)(rwe)(leds 2 0 0)(say this_is_more_than_twenty_letters)(init (unum x)(teamname T))";
        assert_eq!(read(bad.as_bytes()).unwrap(), []);
    }

    #[test]
    fn perceptors_are_written_as_a_real_server_does() {
        let told = Perception {
            now: 8.856,
            joined: Some((1, "left")),
            play_mode: "BeforeKickOff".into(),
            body: Some(Proprioception::default()),
            seen: Some(vec![
                Detection::Ball([1.74, -3.66, 0.0]),
                Detection::Robot("Xpuck".into(), 2, [0.5, 10.0, -0.001]),
            ]),
            heard: vec![HeardWord { team: "Xpuck".into(), time: 1.5, from: None, word: "hi".into() }],
            ..Perception::default()
        };
        let text = write(&told);
        let begins = "(time (now 8.86))(GS (unum 1) (team left) (sl 0) (sr 0) (t 0.00) (pm BeforeKickOff))(GYR (n torso) (rt 0.00 0.00 0.00))";
        assert!(text.starts_with(begins), "{text}");
        let seen = "(See (B (pol 1.74 -3.66 0.00)) (P (team Xpuck) (id 2) (head (pol 0.50 10.00 -0.00))))";
        assert!(text.contains("(HJ (n rw) (ax 0.00))(TCH n ps0 val 0)") && text.contains(seen), "{text}");
        assert!(text.ends_with("(hear Xpuck 1.50 self hi)"), "{text}");
        // The perceptors have the same names and forms as in a recorded stream of a SimSpark server.
        let all = parse(text.as_bytes()).unwrap();
        assert_eq!(all.iter().filter(|list| list.name() == Some("HJ")).count(), 2);
    }
}
