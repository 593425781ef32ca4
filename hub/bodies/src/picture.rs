//! Pictures: gallery of bodies, and curves of runs.

use super::creature::Creature;
use std::fmt::Write;
use xpuck_bodies::Plan;
use xpuck_bodies::picture::plan_svg;
use xpuck_kernels::markup::escape;
use xpuck_stats::plot::{Colour, Plot, begin_svg, to_svg};

/// Side of the square tile of a body (px), and height of the text below the tile (px).
const TILE: f64 = 220.0;
const WORDS: f64 = 40.0;
const COLUMNS: usize = 4;

/// Returns an SVG gallery of bodies with their distances (m). The text below each body gives its distance, parts and
/// limbs.
pub fn gallery(bodies: &[(f64, Creature)]) -> String {
    let rows = bodies.len().div_ceil(COLUMNS).max(1);
    let columns = bodies.len().clamp(1, COLUMNS);
    let mut svg = begin_svg(TILE * columns as f64, (TILE + WORDS) * rows as f64);
    for (at, (way, creature)) in bodies.iter().enumerate() {
        let (x, y) = ((at % COLUMNS) as f64 * TILE, (at / COLUMNS) as f64 * (TILE + WORDS));
        let Ok(plan) = Plan::new(&creature.prif) else { continue };
        // The picture of a body becomes a nested SVG element, which keeps its own coordinates and is scaled to the
        // tile.
        let inner = plan_svg(&plan);
        let (head, rest) = inner.split_once('>').unwrap_or((&inner, ""));
        let view = head
            .split_once("viewBox=\"")
            .and_then(|(_, rest)| rest.split_once('"'))
            .map_or("0 0 1 1", |(view, _)| view);
        let side = TILE - 20.0;
        let _ = write!(
            svg,
            "<svg x=\"{:.0}\" y=\"{:.0}\" width=\"{side:.0}\" height=\"{side:.0}\" viewBox=\"{view}\">{rest}",
            x + 10.0,
            y + 10.0
        );
        let words = format!("{way:.1} m, {} parts, {} limbs", plan.parts().len(), creature.prif.limbs());
        let _ = writeln!(
            svg,
            "<text x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">{}</text>",
            x + TILE / 2.0,
            y + TILE + 16.0,
            escape(&words)
        );
    }
    svg + "</svg>\n"
}

/// Returns a plot of the longest distance over evaluations, with one line for each island. `table` is the text of a
/// run's table.
pub fn curve(table: &str) -> String {
    let mut islands: Vec<Vec<(f64, f64)>> = Vec::new();
    for Best { island, evaluations, way } in table.lines().skip(1).filter_map(best) {
        if island < 64 {
            islands.resize(islands.len().max(island + 1), Vec::new());
            islands[island].push((evaluations, way));
        }
    }
    let mut plot = Plot::new(TITLE, "evaluations of a whole walk on an island", "distance, m").whole_x();
    for (number, points) in islands.into_iter().enumerate() {
        plot.line(&format!("island {number}"), if number == 0 { Colour::Blue } else { Colour::Grey }, points);
    }
    to_svg(&[plot])
}

/// Curve of a run: longest distance on all islands (m) over the number of evaluations per island.
pub struct Curve {
    /// Name of the run.
    pub name: String,
    /// Points of the curve: number of evaluations, and distance (m).
    pub points: Vec<(f64, f64)>,
}

impl Curve {
    /// Creates the curve from the table of a run. An incomplete last line is ignored.
    ///
    /// # Errors
    /// Number of the first invalid line, and the reason.
    pub fn from_table(name: String, table: &str) -> Result<Curve, String> {
        let whole = table.rfind('\n').map_or("", |end| &table[..end]);
        let mut longest = 0.0;
        let points = whole.lines().enumerate().skip(1).map(|(number, line)| {
            let Best { evaluations, way, .. } = best(line)
                .ok_or_else(|| format!("line {}: not a row of finite numbers; restore the file", number + 1))?;
            longest = f64::max(longest, way);
            Ok((evaluations, longest))
        });
        Ok(Curve { points: points.collect::<Result<_, String>>()?, name })
    }

    /// Returns the final distance (m); 0 for an empty curve.
    pub fn end(&self) -> f64 {
        self.points.last().map_or(0.0, |(_, way)| *way)
    }
}

/// Returns a plot of the curves of several runs. `median` is the median of their final distances (m).
pub fn curves(runs: &[Curve], median: f64) -> String {
    const COLOURS: [Colour; 7] =
        [Colour::Blue, Colour::Orange, Colour::Green, Colour::Red, Colour::Purple, Colour::Sky, Colour::Black];
    let title = format!("{TITLE}, {} runs; median {median:.1} m", runs.len());
    let mut plot = Plot::new(&title, "evaluations of a whole walk on an island", "distance, m").whole_x();
    for (run, colour) in runs.iter().zip(COLOURS.into_iter().chain(std::iter::repeat(Colour::Grey))) {
        plot.line(&run.name, colour, run.points.clone());
    }
    to_svg(&[plot])
}

const TITLE: &str = "Longest distance so far";

/// Values in a row of a run's table: island, evaluations per island, and longest distance (m).
struct Best {
    island: usize,
    evaluations: f64,
    way: f64,
}

fn best(row: &str) -> Option<Best> {
    let cells: Vec<&str> = row.split(',').collect();
    let [_, island, evaluations, _, best, ..] = cells[..] else { return None };
    let number = |cell: &str| cell.parse::<f64>().ok().filter(|number| number.is_finite());
    Some(Best { island: island.parse().ok()?, evaluations: number(evaluations)?, way: number(best)? })
}
