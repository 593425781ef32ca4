//! Missions of MG1, the mission generator of the AutoMoDe family: one line of text for each mission.
//!
//! A line has keys and values such as `--m homing --a hexagon --as 1.29 --el 120 --r 20`. `line` parses it, and `layout`
//! converts it to the objects of an arena and a mission.

mod layout;
mod line;

use super::mission::Mission;
use super::scene::Scene;

/// Maximum number of missions of a text.
pub(super) const MOST_MISSIONS: usize = 1000;
/// Key with which each mission begins.
const FIRST_KEY: &str = "--m ";

/// Returns the lines of a text that contain a mission, with their numbers from 1. Empty lines and comments are skipped.
pub(super) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty() && !line.trim_start().starts_with('#'))
}

/// Returns whether a text consists of mission lines.
pub(super) fn is_missions(text: &str) -> bool {
    lines(text).next().is_some_and(|(_, line)| format!("{} ", line.trim()).contains(FIRST_KEY))
}

/// Returns the mission of a line, and the objects of its arena. The line contains no obstacles.
///
/// # Errors
/// The line is invalid. The error names the key.
pub(super) fn scene(text: &str) -> Result<Scene, String> {
    let line = line::parse(text)?;
    Ok(layout::scene(&line))
}

/// Returns the mission of an ARGoS file, whose arena contains the walls, the obstacles, the light and the robots.
/// `robots` is the number of robots in the arena.
///
/// # Errors
/// The line is invalid, or it has another number of robots than the arena.
pub(super) fn mission(text: &str, robots: usize) -> Result<Mission, String> {
    let line = line::parse(text)?;
    if line.robots != robots {
        return Err(format!("mission_description has --r {}, but the arena has {robots} robots", line.robots));
    }
    Ok(layout::mission(&line))
}
