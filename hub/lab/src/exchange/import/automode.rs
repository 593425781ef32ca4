//! Missions of AutoMoDe's library of loop functions, by their labels.
//!
//! The layouts and scores are those of the branch `master` of demiurge-project/experiments-loop-functions of November
//! 2022, unless the comment of a mission states another source.

mod covering;
mod shelters;
mod spots;

use super::mission::Mission;
use super::xml::{at, numbers};
use roxmltree::Node;

/// Radius of the disc in which robots start in the files of the library (m).
const START_RADIUS: f32 = 1.2;
/// Speed of a robot that drives straight ahead (m/s).
const SPEED: f32 = 0.0919;
/// Share of the deliveries of robots that drive straight at full speed which has fitness 1. In published results of two
/// minutes, the best controllers reach about an eighth.
const BEST_SHARE: f32 = 0.25;

/// Result of a search for the mission of loop functions.
pub(super) enum Found {
    /// Known mission.
    Mission(Box<Mission>),
    /// Advice for known loop functions whose mission is not imported.
    NotImported(&'static str),
    /// Unknown loop functions.
    Unknown,
}

/// Parameters of an experiment on which missions depend.
pub(super) struct Experiment<'a, 'input> {
    /// `<params>` element of the loop functions.
    pub params: Option<Node<'a, 'input>>,
    /// Number of robots.
    pub robots: usize,
    /// Length of a run (s).
    pub seconds: f32,
}

impl Experiment<'_, '_> {
    /// Returns a parameter of the loop functions, or `default` if it is missing.
    fn param(&self, key: &str, default: f32, low: f32, high: f32) -> Result<f32, String> {
        let Some(node) = self.params.filter(|node| node.has_attribute(key)) else { return Ok(default) };
        let [value] = numbers::<1>(&node, key)?;
        match (low..=high).contains(&value) {
            true => Ok(value),
            false => Err(at(&node, &format!("{key}=\"{value}\" must be {low} to {high}"))),
        }
    }

    /// Radius of the disc in which robots start (m).
    pub fn start_radius(&self) -> Result<f32, String> {
        self.param("dist_radius", START_RADIUS, 0.05, 9.0)
    }
}

/// Returns the number of deliveries with fitness 1, and a comment on it. `gap` is the shortest distance between source
/// and nest (m).
pub(super) fn deliveries(robots: usize, seconds: f32, gap: f32) -> (f32, String) {
    let gap = gap.max(0.1);
    let all = robots as f32 * SPEED * seconds / (2.0 * gap);
    let best = (BEST_SHARE * all).round().max(1.0);
    let comment = format!(
        "{robots} robots that drive {gap:.2} m straight from source to nest and back deliver {all:.0} items in \
         {seconds} s; best is a quarter of this number. Change it with the length of the run."
    );
    (best, comment)
}

/// Returns the mission of loop functions with a label.
///
/// # Errors
/// A parameter of the loop functions is invalid.
pub(super) fn mission(label: &str, experiment: &Experiment<'_, '_>) -> Result<Found, String> {
    for missions in [spots::mission, shelters::mission, covering::mission] {
        if let Some(mission) = missions(label, experiment)? {
            return Ok(Found::Mission(Box::new(mission)));
        }
    }
    Ok(advice(label).map_or(Found::Unknown, Found::NotImported))
}

/// Returns the advice for known loop functions whose mission is not imported.
fn advice(label: &str) -> Option<&'static str> {
    Some(match label {
        "gianduja_decision_loop_functions" => "begin with `xpuck world new decision`",
        "gianduja_beacon_aggregation_loop_functions"
        | "gianduja_beacon_decision_loop_functions"
        | "gianduja_beacon_stop_loop_functions" => {
            "robots have no messages; `xpuck world new beacon-aggregation` has a coloured patch instead"
        }
        "gianduja_nesting_loop_functions" | "gianduja_nesting_hide_loop_functions" => {
            "begin with `xpuck world new nesting`"
        }
        "mate_spd11_loop_functions" => "begin with `xpuck world new chain`",
        "mate_cc_loop_functions" => "begin with `xpuck world new conditional-coverage`",
        "phototaxis_loop_functions" | "antiphototaxis_loop_functions" => {
            "it scores the distances of robots to the light; a region around the light is a substitute"
        }
        "grid_exploration_loop_functions" => "begin with `xpuck world new patrol`",
        label if label.starts_with("tutti_") => {
            "begin with `xpuck world new stop-signal` or `xpuck world new foraging-colours`"
        }
        label if label.starts_with("hab_") => "begin with `xpuck world new hazard` or `xpuck world new rendezvous`",
        _ => return None,
    })
}
