//! Questions about a new world.

use super::interview::Interview;
use anyhow::Result;
use std::f32::consts::PI;
use xpuck_kernels::model::{MAX_ROBOTS, MAX_WALLS};

/// Minimum area of the arena for each robot (m^2). With this area, half of the arena has room for all robots at random
/// places.
const AREA_PER_ROBOT: f32 = 0.06;
/// Usual area of the arena for each robot (m^2): that of 20 robots in the arena of AutoMoDe.
const USUAL_AREA: f32 = 0.24;
/// Minimum distance from the centre to the walls (m), so that regions are larger than robots.
const LEAST_INRADIUS: f32 = 0.3;
/// Maximum number of sides of a polygon.
const MOST_SIDES: usize = 16;
/// Number of walls of a gate.
const GATE_WALLS: usize = 2;

/// Behaviour of the robots, by the question's order.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Goal {
    Gather,
    Forage,
    Home,
    Explore,
    Cover,
    Gate,
    Spread,
    Cluster,
}

/// Goals with their names and descriptions.
const GOALS: [(Goal, (&str, &str)); 8] = [
    (Goal::Gather, ("gather", "come together on one of several spots")),
    (Goal::Forage, ("forage", "carry items from sources to a nest")),
    (Goal::Home, ("home", "find a spot on the other side of the arena, and stay there")),
    (Goal::Explore, ("explore", "visit as much of the arena as possible")),
    (Goal::Cover, ("cover", "be near every point of the arena")),
    (Goal::Gate, ("gate", "pass a gate in one direction")),
    (Goal::Spread, ("spread", "keep away from one another")),
    (Goal::Cluster, ("cluster", "form one cluster anywhere")),
];

/// Shape and size of an arena.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Arena {
    /// Rectangle with a length along x and a width along y (m).
    Rectangle { length: f32, width: f32 },
    /// Regular polygon with a number of sides, and the distance from the centre to a side (m).
    Polygon { sides: usize, inradius: f32 },
}

impl Arena {
    /// Distance from the centre to the nearest wall (m).
    pub fn inradius(&self) -> f32 {
        match *self {
            Arena::Rectangle { length, width } => 0.5 * length.min(width),
            Arena::Polygon { inradius, .. } => inradius,
        }
    }

    /// Area (m^2).
    pub fn area(&self) -> f32 {
        match *self {
            Arena::Rectangle { length, width } => length * width,
            Arena::Polygon { sides, inradius } => sides as f32 * inradius * inradius * (PI / sides as f32).tan(),
        }
    }
}

/// Answers to the questions about a new world.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Answers {
    /// Behaviour of the robots.
    pub goal: Goal,
    /// Number of spots or sources.
    pub spots: usize,
    /// Number of robots.
    pub robots: usize,
    /// Arena.
    pub arena: Arena,
    /// Whether the score is that of the end of a run; otherwise, it is the mean of the run.
    pub is_end: bool,
    /// Length of a run (s).
    pub seconds: f32,
}

/// Asks all questions.
///
/// # Errors
/// A question has no valid answer.
pub fn ask(interview: &mut Interview<'_>) -> Result<Answers> {
    let names = GOALS.map(|(_, name)| name);
    let goal = GOALS[interview.choice("What are the robots to do?", &names)?].0;
    let spots = match goal {
        Goal::Gather => interview.whole("How many spots?", 1..=4, 2)?,
        Goal::Forage => interview.whole("How many sources?", 1..=3, 2)?,
        _ => 1,
    };
    let least = if matches!(goal, Goal::Spread | Goal::Cluster) { 2 } else { 1 };
    let robots = interview.whole("How many robots?", least..=MAX_ROBOTS, 20)?;
    let shapes = [("polygon", "regular polygon of walls"), ("rectangle", "rectangle of walls")];
    let arena = match interview.choice("Shape of the arena?", &shapes)? {
        0 => polygon(interview, goal, robots)?,
        _ => rectangle(interview, robots)?,
    };
    let is_end = match goal {
        Goal::Gather | Goal::Home | Goal::Cover | Goal::Spread | Goal::Cluster => {
            let times = [("all", "mean of the whole run"), ("end", "only at the end of the run")];
            interview.choice("When does the score count?", &times)? == 1
        }
        Goal::Forage | Goal::Explore | Goal::Gate => true,
    };
    let seconds = interview.number("Length of a run (s)?", 1.0..=36_000.0, 120.0)?;
    Ok(Answers { goal, spots, robots, arena, is_end, seconds })
}

fn polygon(interview: &mut Interview<'_>, goal: Goal, robots: usize) -> Result<Arena> {
    let gate = if goal == Goal::Gate { GATE_WALLS } else { 0 };
    let most = MOST_SIDES.min(MAX_WALLS - gate);
    let sides = interview.whole("Number of sides?", 3..=most, 12)?;
    // Area of a polygon with a distance of 1 m from the centre to the sides.
    let unit = Arena::Polygon { sides, inradius: 1.0 }.area();
    let reach = |area: f32| round_up((area * robots as f32 / unit).sqrt());
    let least = reach(AREA_PER_ROBOT).max(LEAST_INRADIUS);
    let usual = reach(USUAL_AREA).clamp(least, 9.0);
    let inradius = interview.number("Distance from the centre to the walls (m)?", least..=9.0, usual)?;
    Ok(Arena::Polygon { sides, inradius })
}

fn rectangle(interview: &mut Interview<'_>, robots: usize) -> Result<Arena> {
    let least = |other: f32| round_up(AREA_PER_ROBOT * robots as f32 / other).max(2.0 * LEAST_INRADIUS);
    let side = |area: f32, other: f32| round_up(area * robots as f32 / other);
    let usual = (USUAL_AREA * robots as f32 * 4.0 / 3.0).sqrt();
    let shortest = least(20.0);
    let length = interview.number("Length along x (m)?", shortest..=20.0, round_up(usual).clamp(shortest, 20.0))?;
    let narrowest = least(length);
    let usual = side(USUAL_AREA, length).clamp(narrowest, 20.0);
    let width = interview.number("Width along y (m)?", narrowest..=20.0, usual)?;
    Ok(Arena::Rectangle { length, width })
}

/// Rounds up to centimetres.
fn round_up(metres: f32) -> f32 {
    (metres * 100.0).ceil() / 100.0
}
