//! Calibration: the simulator's parameters fitted to recorded poses and readings (thesis chapter 7).
//!
//! Each subject has a file that reads its record and fits it, without files or clocks. [`synthetic`] makes recordings in
//! the simulator with known parameters, so that every fit can be tried on data whose truth is known.

pub mod camera;
pub mod collisions;
pub mod drive;
pub mod friction;
pub mod infrared;
pub mod latency;
mod motion_noise;
pub mod numerics;
pub mod poses;
pub mod recorded;
pub mod run;
pub mod steering;
pub mod synthetic;
pub mod table;

use serde::Serialize;
use xpuck_stats::plot::Plot;

/// A fitted parameter.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Estimate {
    /// Its name, as in the snippet.
    pub name: String,
    /// Its value.
    pub value: f64,
    /// Its standard error; none if the record is too small to tell.
    pub error: Option<f64>,
    /// Its unit; empty for a pure number.
    pub unit: &'static str,
    /// What it is.
    pub meaning: String,
}

/// What a fit found.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Report {
    /// What was fitted.
    pub subject: &'static str,
    /// How much data there was.
    pub data: String,
    /// The parameters.
    pub estimates: Vec<Estimate>,
    /// How well they fit.
    pub fit: String,
    /// The parameters as TOML, under the keys by which the programs know them.
    pub toml: String,
    /// The drawing: panels side by side.
    #[serde(skip)]
    pub panels: Vec<Plot>,
}

/// Why a record cannot be fitted, with the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct Unfit(String);

/// Estimates from rows of name, unit and meaning, with their values and standard errors.
fn estimates(rows: &[(&str, &'static str, &str)], values: &[f64], errors: Option<&[f64]>) -> Vec<Estimate> {
    let estimate = |(i, (name, unit, meaning)): (usize, &(&str, &'static str, &str))| Estimate {
        name: name.to_string(),
        value: values[i],
        error: errors.map(|e| e[i]),
        unit,
        meaning: meaning.to_string(),
    };
    rows.iter().enumerate().map(estimate).collect()
}
