//! Animation of a walk as a self-contained web page.

use super::creature::Creature;
use std::fmt::Write;
use xpuck_bodies::physics::Pose;
use xpuck_bodies::{BodyError, EvaluationConditions, Plan, frames};

const PAGE: &str = include_str!("replay.html");
/// Number of simulation steps between two frames, which gives 24 frames per second.
const EVERY: u32 = 10;
/// Maximum count of numbers in a page. Because of this limit, long walks of large bodies have fewer frames per second.
const MOST: usize = 400_000;

/// Returns the number of steps between two frames of a page for a walk of `steps` steps.
pub fn spacing(plan: &Plan, steps: u32) -> u32 {
    let mut every = EVERY;
    while (steps / every) as usize * plan.parts().len() * 7 > MOST {
        every *= 2;
    }
    every
}

/// Returns the web page with a creature's walk of `steps` steps.
///
/// # Errors
/// If the creature cannot be built.
pub fn replay(creature: &Creature, trial: EvaluationConditions, steps: u32) -> Result<String, BodyError> {
    let plan = Plan::new(&creature.prif)?;
    let every = spacing(&plan, steps);
    Ok(page(&plan, &frames(&plan, &creature.brain, trial, steps, every)?, every))
}

/// Returns the web page of a walk. `frames` contains the poses of all parts after every `every` simulation steps.
pub fn page(plan: &Plan, frames: &[Vec<Pose>], every: u32) -> String {
    let mut walk = String::new();
    for poses in frames {
        walk.push('[');
        for pose in poses {
            let [x, y, z] = pose.position;
            let [a, b, c, d] = quaternion(&pose.rotation);
            let _ = write!(walk, "{x:.3},{y:.3},{z:.3},{a:.3},{b:.3},{c:.3},{d:.3},");
        }
        walk.pop();
        walk.push_str("],\n");
    }
    let colours: Vec<String> = plan
        .parts()
        .iter()
        .map(|part| part.part.colour().map(|share| (share * 255.0).round() as u8))
        .map(|[r, g, b]| format!("[{r},{g},{b}]"))
        .collect();
    let page = PAGE.replace("/*FRAMES*/", &walk).replace("/*COLOURS*/", &colours.join(","));
    page.replace("/*PERIOD*/", &format!("{}", f64::from(every) / 240.0))
}

/// Returns the unit quaternion (w, x, y, z) of a rotation, with w >= 0.
fn quaternion(r: &[[f64; 3]; 3]) -> [f64; 4] {
    let part = |sum: f64| (sum.max(0.0)).sqrt() / 2.0;
    let w = part(1.0 + r[0][0] + r[1][1] + r[2][2]);
    let x = part(1.0 + r[0][0] - r[1][1] - r[2][2]).copysign(r[2][1] - r[1][2]);
    let y = part(1.0 - r[0][0] + r[1][1] - r[2][2]).copysign(r[0][2] - r[2][0]);
    let z = part(1.0 - r[0][0] - r[1][1] + r[2][2]).copysign(r[1][0] - r[0][1]);
    [w, x, y, z]
}
