//! Calibration: fits the simulator's parameters to recorded poses and readings (thesis chapter 7).
//!
//! Each subject has a module that parses a record and fits the subject's parameters to it, without access to files or
//! clocks. [`synthetic`] generates recordings with known parameters in the simulator, to test every fit.

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
    /// Name of the parameter.
    pub name: String,
    /// Fitted value, in the unit `unit`.
    pub value: f64,
    /// Standard error, in the unit `unit`; `None` if the record is too small.
    pub error: Option<f64>,
    /// Unit of the value and of its standard error; empty for a pure number.
    pub unit: &'static str,
    /// Description of the parameter.
    pub meaning: String,
}

/// Result of a fit.
#[derive(Clone, Debug, Serialize, schemars::JsonSchema)]
pub struct Report {
    /// Subject of the fit.
    pub subject: &'static str,
    /// Description of the amount of data.
    pub data: String,
    /// Fitted parameters.
    pub estimates: Vec<Estimate>,
    /// Description of the quality of the fit.
    pub fit: String,
    /// Fitted parameters as TOML, with the keys of configuration files; empty if no file has such keys.
    pub toml: String,
    /// Panels of the figure, side by side.
    #[serde(skip)]
    pub panels: Vec<Plot>,
}

/// Message for a record that cannot be fitted: the cause and, where possible, the remedy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct FitError(String);

/// Creates estimates from rows of name, unit and meaning, and from the rows' values and standard errors.
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
