//! Messages of the agent port: what an agent is told in each cycle (perceptors), and what it answers (effectors), in SimSpark's forms.
//!
//! An e-puck has two wheels for joints, `lw` and `rw` (perceptors `HJ`; effectors `lwe` and `rwe`, and `he1` and `he2` as agents of
//! SimSpark call their first two), and eight proximity sensors, `ps0` to `ps7`, as touch perceptors.

use crate::sexpr::{SyntaxError, parse};
use std::fmt::Write;

/// Longest word that one robot can say to the others, bytes (as in SimSpark).
pub const LONGEST_WORD: usize = 20;

/// What an agent asks for.
#[derive(Clone, Debug, PartialEq)]
pub enum Effector {
    /// It wants a body; models of robots that are none of ours mean an e-puck, too.
    Scene,
    /// It says who it is: its team, and its number there, 0 for any.
    Init(String, u32),
    /// Speed of its left or right wheel from now on, rad/s.
    Wheel(Wheel, f64),
    /// It wants to be there, m, and look there, degrees.
    Beam([f64; 3]),
    /// It says a word to all.
    Say(String),
    /// Its LEDs have this colour from now on, red, green, blue, 0 to 1.
    Lamps([f64; 3]),
    /// Its cycle is done: in step mode the next one may begin.
    Sync,
}

/// A wheel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wheel {
    /// The left one.
    Left,
    /// The right one.
    Right,
}

/// Reads an agent's message. Effectors that are not known, or lack what they need, are left out, as servers do.
///
/// # Errors
/// It is no S-expression; then nothing of it counts.
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
            "say" => word().filter(|word| may_say(word)).map(|word| Effector::Say(word.into())),
            "leds" => list
                .numbers()
                .filter(|colour: &[f64; 3]| colour.iter().all(|part| (0.0..=1.0).contains(part)))
                .map(Effector::Lamps),
            "syn" => Some(Effector::Sync),
            _ => None,
        }
    };
    Ok(all.iter().filter_map(effector).collect())
}

fn may_say(word: &str) -> bool {
    word.len() <= LONGEST_WORD && word.bytes().all(|byte| byte.is_ascii_graphic())
}

/// What an agent is told in a cycle. Angles in degrees here, as they are on the wire; places relative to the robot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Perception {
    /// Time of the server, s.
    pub now: f64,
    /// Who it is; told once, in the first cycle after it said so.
    pub joined: Option<(u32, &'static str)>,
    /// Score, left and right.
    pub score: [u32; 2],
    /// Time of the game, s.
    pub game: f64,
    /// The play mode.
    pub play_mode: String,
    /// What its body feels; none before it has one.
    pub body: Option<Feelings>,
    /// What its camera sees; none in cycles without a picture.
    pub seen: Option<Vec<Seen>>,
    /// What others said.
    pub heard: Vec<Heard>,
}

/// What a body feels.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Feelings {
    /// How fast it turns about x, y, z, degrees/s.
    pub turning: [f64; 3],
    /// Acceleration along x, y, z, m/s^2.
    pub acceleration: [f64; 3],
    /// How far each wheel is turned, degrees: left, right.
    pub wheels: [f64; 2],
    /// The proximity sensors that something is near to.
    pub touched: [bool; 8],
}

/// Something that is seen: how far, m, and where, degrees to the left and up.
#[derive(Clone, Debug, PartialEq)]
pub enum Seen {
    /// The ball.
    Ball([f64; 3]),
    /// A robot: its team and number.
    Robot(String, u32, [f64; 3]),
}

/// A word that was said.
#[derive(Clone, Debug, PartialEq)]
pub struct Heard {
    /// The team of who said it.
    pub team: String,
    /// When, s of the game.
    pub time: f64,
    /// Where from, degrees; none if the robot said it.
    pub from: Option<f64>,
    /// The word.
    pub word: String,
}

/// Writes a cycle's perceptors; floats have two decimals, as SimSpark has them.
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
                Seen::Ball([away, left, up]) => write!(text, " (B (pol {away:.2} {left:.2} {up:.2}))"),
                Seen::Robot(team, number, [away, left, up]) => {
                    write!(text, " (P (team {team}) (id {number}) (head (pol {away:.2} {left:.2} {up:.2})))")
                }
            };
        }
        text.push(')');
    }
    for Heard { team, time, from, word } in &told.heard {
        let from = from.map_or("self".into(), |degrees| format!("{degrees:.2}"));
        let _ = write!(text, "(hear {team} {time:.2} {from} {word})");
    }
    text
}

fn write_body(text: &mut String, body: &Feelings) {
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
    fn what_real_agents_send_is_read() {
        let hello = "(scene rsg/agent/nao/nao_hetero.rsg 0)(init (unum 0)(teamname Xpuck))(syn)";
        let expected = [Effector::Scene, Effector::Init("Xpuck".into(), 0), Effector::Sync];
        assert_eq!(read(hello.as_bytes()).unwrap(), expected);
        let moves = "(lwe 3.5)(rwe -2)(he1 1.0)(he3 1.0)(beam -0.5 0 90)(say hello_swarm)(nonsense 1 2)(leds 0 0 1)";
        let expected = [
            Effector::Wheel(Wheel::Left, 3.5),
            Effector::Wheel(Wheel::Right, -2.0),
            Effector::Wheel(Wheel::Left, 1.0),
            Effector::Beam([-0.5, 0.0, 90.0]),
            Effector::Say("hello_swarm".into()),
            Effector::Lamps([0.0, 0.0, 1.0]),
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
            body: Some(Feelings::default()),
            seen: Some(vec![Seen::Ball([1.74, -3.66, 0.0]), Seen::Robot("Xpuck".into(), 2, [0.5, 10.0, -0.001])]),
            heard: vec![Heard { team: "Xpuck".into(), time: 1.5, from: None, word: "hi".into() }],
            ..Perception::default()
        };
        let text = write(&told);
        let begins = "(time (now 8.86))(GS (unum 1) (team left) (sl 0) (sr 0) (t 0.00) (pm BeforeKickOff))(GYR (n torso) (rt 0.00 0.00 0.00))";
        assert!(text.starts_with(begins), "{text}");
        let seen = "(See (B (pol 1.74 -3.66 0.00)) (P (team Xpuck) (id 2) (head (pol 0.50 10.00 -0.00))))";
        assert!(text.contains("(HJ (n rw) (ax 0.00))(TCH n ps0 val 0)") && text.contains(seen), "{text}");
        assert!(text.ends_with("(hear Xpuck 1.50 self hi)"), "{text}");
        // The same names in the same forms as in a stream of a real server.
        let all = parse(text.as_bytes()).unwrap();
        assert_eq!(all.iter().filter(|list| list.name() == Some("HJ")).count(), 2);
    }
}
