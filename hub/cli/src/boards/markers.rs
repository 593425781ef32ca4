//! `xpuck dev markers`: chooses reflector patterns that distinguish robots.

use crate::terminal::print_json;
use crate::terminal::progress::Progress;
use anyhow::{Context, Result, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::path::PathBuf;
use xpuck_lab::markers::{self, Choice, SIDE, SPACING_MM};
use xpuck_wire::{atomic, output};

/// Number of patterns per row of the text output.
const COLUMNS: usize = 8;

/// Choose reflector patterns by which motion capture distinguishes robots.
///
/// Each robot gets four reflectors (markers) on a grid of 4 x 4 points with a spacing of 10 mm. The separation of two
/// patterns is the largest difference between corresponding marker distances in the best match of their markers (mm).
/// Rotated, displaced and mirrored copies therefore count as equal. The choice maximises the separation of the two most
/// similar patterns. Each pattern also differs by at least this separation from itself with permuted markers. If the
/// search reaches its limit, the output states that a better choice may exist.
#[derive(Args)]
pub struct MarkersArgs {
    /// Number of robots, 1 to 99.
    #[arg(value_parser = clap::value_parser!(u16).range(1..=99))]
    robots: u16,
    /// Write a sheet for printing and cutting out to this file.
    #[arg(long)]
    svg: Option<PathBuf>,
    /// Print one JSON object instead of text.
    #[arg(long)]
    json: bool,
}

/// Runs `xpuck dev markers`.
pub fn run(args: &MarkersArgs) -> Result<()> {
    let progress = Progress::waiting("choosing patterns", args.json);
    let choice = markers::choose(args.robots.into(), SIDE);
    drop(progress);
    let Some(choice) = choice else {
        bail!("the grid has fewer than {} distinguishable patterns; choose fewer robots", args.robots);
    };
    if let Some(path) = &args.svg {
        atomic::output(path, markers::svg(&choice.patterns).as_bytes())
            .with_context(|| format!("--svg {}: cannot be written", path.display()))?;
    }
    if args.json {
        print_json(&Patterns::from(&choice))?;
    } else {
        output::text(text(&choice))?;
    }
    Ok(())
}

/// Patterns of reflectors, as printed by `--json`.
#[derive(Serialize, JsonSchema)]
pub struct Patterns {
    /// Spacing of the grid on which the reflectors lie (mm).
    spacing_mm: f64,
    /// Minimum separation of two patterns, and of a pattern from itself with permuted markers (mm). The separation is
    /// the largest difference between corresponding marker distances.
    separation_mm: f64,
    /// Whether it is proven that no other choice of patterns has a greater separation.
    best: bool,
    /// One pattern for each robot.
    patterns: Vec<RobotPattern>,
}

/// Pattern of one robot.
#[derive(Serialize, JsonSchema)]
struct RobotPattern {
    /// Number of the robot, from 1.
    robot: usize,
    /// Positions of the reflectors relative to the robot's centre, x to the front and y to the left (mm).
    markers_mm: Vec<[f64; 2]>,
}

impl From<&Choice> for Patterns {
    fn from(choice: &Choice) -> Self {
        let pattern = |(robot, pattern): (usize, &markers::Pattern)| RobotPattern {
            robot,
            markers_mm: pattern.markers_mm().to_vec(),
        };
        let patterns = (1..).zip(&choice.patterns).map(pattern).collect();
        Patterns { spacing_mm: SPACING_MM, separation_mm: choice.separation_mm, best: choice.best, patterns }
    }
}

fn text(choice: &Choice) -> String {
    let proof = if choice.best { "no other choice is better" } else { "a better choice may exist" };
    let mut out = format!(
        "{} patterns on a grid of {SIDE} x {SIDE} at {SPACING_MM} mm, from above, front up.\n\
         Any two patterns differ by at least {:.1} mm in a distance between markers; {proof}.\n",
        choice.patterns.len(),
        choice.separation_mm
    );
    for (i, row) in choice.patterns.chunks(COLUMNS).enumerate() {
        out.push('\n');
        let line = |cells: Vec<String>| cells.join("  ").trim_end().to_string() + "\n";
        out += &line((0..row.len()).map(|j| format!("{:<7}", i * COLUMNS + j + 1)).collect());
        for r in 0..SIDE {
            let mark = |pattern: &markers::Pattern| {
                let point = |c| if pattern.points.contains(&(r, c)) { "O" } else { "." };
                (0..SIDE).map(point).collect::<Vec<_>>().join(" ")
            };
            out += &line(row.iter().map(mark).collect());
        }
    }
    out
}
