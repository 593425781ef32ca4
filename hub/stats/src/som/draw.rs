//! Drawing of a map (thesis, Fig. 8.6). Each cell contains a wedge for each column of the data, and the background
//! colour of the cell shows the fitness. A scatter plot shows the samples along their principal components.

use super::grid::{Grid, HEXAGONAL_ROW, Topology};
use super::map::{Cell, Map};
use crate::figure::Figure;
use crate::plot::{Stroke, begin_svg};
use std::f64::consts::{PI, TAU};
use std::fmt::Write;
use xpuck_kernels::markup::escape;

/// Distance between the centres of adjacent cells (pixels).
const SIDE: f64 = 64.0;
/// Margin around and between the map and the scatter plot (pixels).
const ROOM: f64 = 30.0;
/// Side of the scatter plot of principal components (pixels).
const SCATTER: f64 = 380.0;
/// Height of a line of the legend (pixels).
const ROW: f64 = 20.0;
/// Background colours for the minimum and the maximum fitness: dark green and light yellow (RGB, 0..=255).
const DARK: [f64; 3] = [16.0, 92.0, 60.0];
const LIGHT: [f64; 3] = [253.0, 246.0, 178.0];

/// Draws the map and the scatter plot side by side, with a legend below.
pub fn draw(map: &Map) -> String {
    let cells = map.grid.units();
    let far = (0..cells)
        .map(|unit| map.grid.position(unit))
        .fold((0.0f64, 0.0f64), |most, at| (most.0.max(at.0), most.1.max(at.1)));
    let (wide, high) = ((far.0 + 1.2) * SIDE, (far.1 + 1.2) * SIDE);
    let width = wide + SCATTER + 3.0 * ROOM;
    let legend = 2.0 * ROW + ROW * map.columns.len().div_ceil(4) as f64;
    let height = high.max(SCATTER) + 2.0 * ROOM + legend;
    let mut svg = begin_svg(width, height);
    let range = range(map.cells.iter().filter_map(|cell| cell.fitness));
    let scales: Vec<(f64, f64)> = (0..map.columns.len())
        .map(|column| self::range(map.cells.iter().filter_map(|cell| cell.means.as_ref().map(|means| means[column]))))
        .collect();
    for (unit, cell) in map.cells.iter().enumerate() {
        let (x, y) = map.grid.position(unit);
        let at = (ROOM + (x + 0.6) * SIDE, ROOM + (y + 0.6) * SIDE);
        draw_cell(&mut svg, map, (unit, cell), at, range, &scales);
    }
    scatter(&mut svg, map, (wide + 2.0 * ROOM, ROOM), range);
    draw_legend(&mut svg, map, height - legend, range);
    svg.push_str("</svg>\n");
    svg
}

/// Returns the SVG colour code of a column. The colours are those of plot series.
fn colour(column: usize) -> &'static str {
    Stroke::of_series(column).colour().code()
}

fn range(numbers: impl Iterator<Item = f64>) -> (f64, f64) {
    numbers.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), x| (low.min(x), high.max(x)))
}

/// Returns the position of a number between a minimum and a maximum, 0 to 1. Returns 0.5 if both are equal.
fn part(x: f64, (low, high): (f64, f64)) -> f64 {
    if high > low { (x - low) / (high - low) } else { 0.5 }
}

fn background(fitness: f64, range: (f64, f64)) -> String {
    let part = part(fitness, range);
    let [r, g, b] = [0, 1, 2].map(|i| (DARK[i] + part * (LIGHT[i] - DARK[i])).round() as u8);
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Returns the corners of a cell relative to its centre, in units of the distance between adjacent cells.
fn corners(grid: &Grid) -> Vec<(f64, f64)> {
    match grid.topology() {
        Topology::Rectangular => [(-0.5, -0.5), (0.5, -0.5), (0.5, 0.5), (-0.5, 0.5)].to_vec(),
        Topology::Hexagonal => {
            let radius = 0.5 / HEXAGONAL_ROW;
            (0..6).map(|i| PI / 6.0 + PI / 3.0 * f64::from(i)).map(|a| (radius * a.cos(), radius * a.sin())).collect()
        }
    }
}

fn draw_cell(
    svg: &mut String,
    map: &Map,
    (unit, cell): (usize, &Cell),
    (x, y): (f64, f64),
    range: (f64, f64),
    scales: &[(f64, f64)],
) {
    let points: Vec<String> =
        corners(&map.grid).iter().map(|(dx, dy)| format!("{:.1},{:.1}", x + dx * SIDE, y + dy * SIDE)).collect();
    let fill = cell.fitness.map_or("#ffffff".into(), |fitness| background(fitness, range));
    let names: Vec<&str> = cell.samples.iter().map(|i| map.names[*i].as_str()).collect();
    let title = match cell.fitness {
        Some(fitness) => format!("cell {}: {}; fitness {:.3}", unit + 1, names.join("  "), Figure(fitness)),
        None => format!("cell {}: empty", unit + 1),
    };
    let points = points.join(" ");
    let _ = writeln!(
        svg,
        "<polygon class=\"cell\" points=\"{points}\" fill=\"{fill}\" stroke=\"#8a929a\"><title>{}</title></polygon>",
        escape(&title)
    );
    if let Some(means) = &cell.means {
        let n = means.len() as f64;
        for (column, mean) in means.iter().enumerate() {
            // The minimum radius keeps the smallest value of a column visible.
            let radius = SIDE * 0.42 * (0.15 + 0.85 * part(*mean, scales[column]));
            let angle = |i: usize| TAU * i as f64 / n - PI / 2.0;
            let corner = |i: usize| (x + radius * angle(i).cos(), y + radius * angle(i).sin());
            let ((from_x, from_y), (to_x, to_y)) = (corner(column), corner(column + 1));
            let large = usize::from(n < 2.0);
            let _ = writeln!(
                svg,
                "<path class=\"wedge\" d=\"M{x:.1} {y:.1}L{from_x:.1} {from_y:.1}A{radius:.1} {radius:.1} 0 {large} 1 {to_x:.1} \
                 {to_y:.1}Z\" fill=\"{}\" stroke=\"#ffffff\" stroke-width=\"0.6\" pointer-events=\"none\"/>",
                colour(column)
            );
        }
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"10\" pointer-events=\"none\">{}</text>",
            x - SIDE * 0.4,
            y - SIDE * 0.3,
            unit + 1
        );
    }
}

/// Draws the samples along the first two principal components, with the loadings of the columns as arrows.
fn scatter(svg: &mut String, map: &Map, (left, top): (f64, f64), fitness: (f64, f64)) {
    let score = |i: usize, component: usize| map.scores[i].get(component).copied().unwrap_or(0.0);
    let most = (0..map.names.len()).flat_map(|i| [score(i, 0).abs(), score(i, 1).abs()]).fold(1e-12, f64::max);
    let middle = (left + SCATTER / 2.0, top + SCATTER / 2.0);
    let scale = 0.45 * SCATTER / most;
    let _ = writeln!(
        svg,
        "<rect x=\"{left:.1}\" y=\"{top:.1}\" width=\"{SCATTER}\" height=\"{SCATTER}\" fill=\"none\" stroke=\"#8a929a\"/>"
    );
    let explained = map.pca.explained();
    let percent = |component: usize| 100.0 * explained.get(component).copied().unwrap_or(0.0);
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">first component, {:.0} % of the variance</text>",
        middle.0,
        top + SCATTER + 16.0,
        percent(0)
    );
    let _ = writeln!(
        svg,
        "<text transform=\"translate({:.1},{:.1}) rotate(-90)\" text-anchor=\"middle\">second, {:.0} %</text>",
        left - 8.0,
        middle.1,
        percent(1)
    );
    for i in 0..map.names.len() {
        let (x, y) = (middle.0 + scale * score(i, 0), middle.1 - scale * score(i, 1));
        let title = format!("{}: fitness {:.3}", map.names[i], Figure(map.fitness[i]));
        let _ = writeln!(
            svg,
            "<circle class=\"sample\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"5\" fill=\"{}\" stroke=\"#1b1f24\"><title>{}</title></circle>",
            background(map.fitness[i], fitness),
            escape(&title)
        );
    }
    let loadings = [0, 1].map(|component| map.pca.loadings(component));
    for (column, name) in map.columns.iter().enumerate() {
        let along = |component: usize| loadings[component].as_ref().map_or(0.0, |loading| loading[column]);
        let reach = 0.4 * SCATTER;
        let (x, y) = (middle.0 + reach * along(0), middle.1 - reach * along(1));
        let colour = colour(column);
        let _ = writeln!(
            svg,
            "<path d=\"M{:.1} {:.1}L{x:.1} {y:.1}\" stroke=\"{colour}\" stroke-width=\"2\"><title>{}</title></path>",
            middle.0,
            middle.1,
            escape(name)
        );
    }
}

fn draw_legend(svg: &mut String, map: &Map, top: f64, fitness: (f64, f64)) {
    for (column, name) in map.columns.iter().enumerate() {
        let (x, y) = (ROOM + 170.0 * (column % 4) as f64, top + ROW * (column / 4) as f64);
        let colour = colour(column);
        let _ = writeln!(svg, "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"12\" height=\"12\" fill=\"{colour}\"/>");
        let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"{:.1}\">{}</text>", x + 18.0, y + 11.0, escape(name));
    }
    let y = top + ROW * map.columns.len().div_ceil(4) as f64;
    for i in 0..10 {
        let at = fitness.0 + (fitness.1 - fitness.0) * f64::from(i) / 9.0;
        let x = ROOM + 14.0 * f64::from(i);
        let fill = background(at, fitness);
        let _ = writeln!(svg, "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"14\" height=\"12\" fill=\"{fill}\"/>");
    }
    let _ = writeln!(
        svg,
        "<text x=\"{:.1}\" y=\"{:.1}\">fitness {:.3} to {:.3}; white: no segment</text>",
        ROOM + 150.0,
        y + 11.0,
        Figure(fitness.0),
        Figure(fitness.1)
    );
}

#[cfg(test)]
mod tests {
    use super::super::map::tests::two_groups;
    use super::*;

    fn document(svg: &str, class: &str) -> usize {
        let document = roxmltree::Document::parse(svg).unwrap();
        document.descendants().filter(|n| n.attribute("class") == Some(class)).count()
    }

    #[test]
    fn all_cells_samples_and_wedges_are_drawn() {
        for topology in [Topology::Rectangular, Topology::Hexagonal] {
            let map = two_groups(Grid::new(topology, 4, 3).unwrap());
            let svg = draw(&map);
            let filled = map.table().len();
            assert_eq!((document(&svg, "cell"), document(&svg, "sample")), (12, 6));
            assert_eq!(document(&svg, "wedge"), 3 * filled);
            assert_eq!(svg.matches("#ffffff\" stroke=\"#8a929a\"").count(), 12 - filled, "empty cells are white");
            assert!(svg.contains("push &amp; pull") && svg.contains("&lt;f&gt;") && !svg.contains("NaN"), "{svg}");
        }
    }

    #[test]
    fn fitness_goes_from_dark_green_to_light_yellow() {
        assert_eq!(background(0.0, (0.0, 1.0)), "#105c3c");
        assert_eq!(background(1.0, (0.0, 1.0)), "#fdf6b2");
        assert_eq!(background(0.3, (0.3, 0.3)), background(0.5, (0.0, 1.0)));
    }
}
