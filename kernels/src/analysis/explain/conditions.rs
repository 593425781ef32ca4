//! Descriptions of test nodes in terms of the senses.

use super::facts::Facts;
use super::formula::{Terms, expression, terms};
use super::words::{GREEN, direction, list, number, percent, thing};
use crate::analysis::reduce::branch::Branch;
use crate::math::{exp, vec2};
use crate::tree::registers::{BLUE, GROUND, NEIGHBOURS, PROX, RED};
use crate::tree::{Kind, holds};
use crate::world::floor::Shade;

/// Prefix of a negated condition.
const NOT: &str = "it is not true that ";
/// Maximum length of a condition in one sentence (bytes). Longer conditions are described step by step.
const LONGEST: usize = 300;
/// Shades that the ground sensor distinguishes.
const SHADES: [Shade; 3] = [Shade::Black, Shade::Grey, Shade::White];
/// Numbers of neighbours for which a probability is stated.
const NEIGHBOURHOODS: [f32; 4] = [0.0, 1.0, 3.0, 8.0];

/// Describes a subtree of tests as a condition. Returns `None` for other subtrees, and if the description is too long.
pub(super) fn condition(branch: &Branch, facts: &Facts) -> Option<String> {
    let kids = |word: &str| -> Option<String> {
        let parts: Option<Vec<String>> = branch.kids.iter().map(|kid| condition(kid, facts)).collect();
        Some(list(&parts?, word))
    };
    let several = branch.kids.len() > 1;
    let [a, b, ..] = branch.node.operands;
    let text = match branch.kind() {
        Kind::Seq if several => format!("({})", kids("and")?),
        Kind::Sel if several => format!("({})", kids("or")?),
        Kind::Seq | Kind::Sel => kids("and")?,
        Kind::Invert => {
            let what = kids("and")?;
            // A double negation is omitted.
            what.strip_prefix(NOT).map_or_else(|| format!("{NOT}{what}"), String::from)
        }
        Kind::Ifquad | Kind::Ifsect => vector_test(branch, facts),
        Kind::Ifprob => chance(branch, facts),
        Kind::Neighbour => by_neighbours(a, b),
        Kind::Fixedprob => fixed(a),
        Kind::Red | Kind::Green | Kind::Blue => {
            let cell = RED as u8 + 2 * (branch.kind() as u8 - Kind::Red as u8);
            format!("({} is seen and {})", thing(cell), fixed(a))
        }
        Kind::Bleft => sector(&Subject::sense(BLUE as u8), 64.0, 115.2),
        Kind::Bright => sector(&Subject::sense(BLUE as u8), -64.0, 115.2),
        Kind::Bfront => sector(&Subject::sense(BLUE as u8), 0.0, 10.0),
        _ => return None,
    };
    (text.len() <= LONGEST).then_some(text)
}

/// Describes a test of a vector.
fn vector_test(branch: &Branch, facts: &Facts) -> String {
    let subject = subject(branch, facts);
    let [_, about, width, ..] = branch.node.operands;
    match branch.kind() {
        _ if subject.sense == Some(GROUND as u8) => floor(branch),
        Kind::Ifquad => quadrant(&subject, about as i32),
        _ => sector(&subject, about, width),
    }
}

/// Describes a test of s_ground by the shades for which it succeeds.
fn floor(branch: &Branch) -> String {
    let passes = |shade: &&Shade| holds(&branch.code, vec2(shade.value(), 0.0));
    let names: Vec<String> = SHADES.iter().filter(passes).map(|shade| shade.name().into()).collect();
    match names.len() {
        0 => "the floor has another shade than black, grey and white (never)".into(),
        3 => "the floor has any shade (always)".into(),
        _ => format!("the floor is {}", list(&names, "or")),
    }
}

/// Vector that a node tests.
struct Subject {
    /// Description of the vector.
    name: String,
    /// Cell of the sense if the vector is a single sense; `None` for other vectors.
    sense: Option<u8>,
}

impl Subject {
    fn sense(cell: u8) -> Subject {
        Subject { name: thing(cell).into(), sense: Some(cell) }
    }
}

fn subject(branch: &Branch, facts: &Facts) -> Subject {
    let Some(pair) = facts.vector(branch.code.s1, branch) else {
        return Subject { name: "NaN, since v_goal is unwritten,".into(), sense: None };
    };
    match terms(&pair) {
        Some(Terms { constant: (0.0, _), terms })
            if terms.len() == 1 && terms[0].size == 1.0 && terms[0].turn == 0.0 =>
        {
            Subject::sense(terms[0].cell)
        }
        _ => Subject { name: expression(&pair), sense: None },
    }
}

fn quadrant(subject: &Subject, quadrant: i32) -> String {
    if quadrant == 0 {
        return short(subject, "at most");
    }
    let place = match if quadrant > 0 { quadrant } else { 5 + quadrant } {
        1 => "front left",
        2 => "back left",
        3 => "back right",
        _ => "front right",
    };
    format!("{} is at the {place}", subject.name)
}

/// Describes a sector with its centre at `at` and the given width, both in steps of pi/128.
fn sector(subject: &Subject, at: f32, width: f32) -> String {
    const DEGREES: f64 = 180.0 / 128.0;
    if width == 0.0 {
        return short(subject, "below");
    }
    let half = f64::from(width) * DEGREES / 2.0;
    let at = (f64::from(at) * DEGREES).round();
    if half > 180.0 {
        return format!("{} is longer than 0.1", subject.name);
    }
    let within = format!("within {half:.0} deg of {}", direction(at));
    match at {
        0.0 if half < 10.0 => format!("{} is dead ahead ({within})", subject.name),
        90.0 | -90.0 if subject.sense == Some(BLUE as u8) && half > 70.0 => {
            format!("{} is on the {} ({within})", subject.name, super::words::side(at))
        }
        _ => format!("{} is {within}", subject.name),
    }
}

fn short(subject: &Subject, word: &str) -> String {
    match subject.sense.map(usize::from) {
        Some(PROX) => format!("nothing is near (v_prox {word} 0.1 long)"),
        Some(RED | GREEN | BLUE) => format!("{} is not seen", subject.name),
        _ => format!("{} is {word} 0.1 long", subject.name),
    }
}

/// Returns the probability that an `ifprob` node with the operands `k` and `l` succeeds for the scalar `s`.
fn probability(k: f32, l: f32, s: f32) -> f64 {
    f64::from(1.0 / (1.0 + exp(k * (l - s))))
}

fn fixed(k: f32) -> String {
    format!("a chance of {} comes up", percent(probability(0.25, k, 0.0)))
}

fn by_neighbours(k: f32, l: f32) -> String {
    if k == 0.0 {
        return fixed(0.0);
    }
    let change = if k > 0.0 { "grows" } else { "falls" };
    let parts = NEIGHBOURHOODS.map(|n| format!("{n}: {}", percent(probability(k, l, n))));
    format!("a chance that {change} with the number of neighbours comes up ({})", parts.join(", "))
}

fn chance(branch: &Branch, facts: &Facts) -> String {
    let (k, l) = (branch.code.a, branch.code.b);
    let Some(sum) = facts.scalar(branch.code.s1, branch) else {
        return "a chance of 0 % comes up (v_goal is unwritten)".into();
    };
    if sum.factors.is_empty() {
        return format!("a chance of {} comes up", percent(probability(k, l, sum.constant as f32)));
    }
    if sum == super::linear::Linear::cell(NEIGHBOURS as u8) {
        return by_neighbours(k, l);
    }
    if sum == super::linear::Linear::cell(GROUND as u8) {
        let parts = SHADES.map(|shade| format!("{}: {}", shade.name(), percent(probability(k, l, shade.value()))));
        return format!("a chance that depends on the floor comes up ({})", parts.join(", "));
    }
    let formula = format!("1/(1 + exp({} ({} - ({}))))", number(f64::from(k)), number(f64::from(l)), sum.formula());
    let at = |s: f32| percent(probability(k, l, s));
    format!("a chance of {formula} comes up (at -1: {}, at 0: {}, at 1: {})", at(-1.0), at(0.0), at(1.0))
}

/// Joins conditions for use after "if". The brackets around a single condition are removed.
pub(super) fn after_if(conditions: &[String]) -> String {
    match conditions {
        [only] if is_bracketed(only) => only[1..only.len() - 1].into(),
        [only] => only.clone(),
        _ => list(conditions, "and"),
    }
}

/// Returns whether the first bracket is closed by the last bracket.
fn is_bracketed(text: &str) -> bool {
    let mut open = 0;
    for (i, c) in text.char_indices() {
        open += i32::from(c == '(') - i32::from(c == ')');
        if open == 0 {
            return i + 1 == text.len();
        }
    }
    false
}
