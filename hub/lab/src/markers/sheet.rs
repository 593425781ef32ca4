//! Printable sheet of patterns at scale: squares to cut out, with marker positions and the robot's front.

use super::{Pattern, SIDE, SPACING_MM};
use std::fmt::Write;

/// Width and minimum height of the sheet (mm): A4, on which 20 patterns fit.
const WIDTH: f64 = 210.0;
const HEIGHT: f64 = 297.0;
const COLUMNS: usize = 4;
/// Horizontal and vertical distance between adjacent patterns, and upper left corner of the first pattern (mm).
const PITCH: [f64; 2] = [48.0, 52.0];
const CORNER: [f64; 2] = [11.0, 30.0];
/// Side of the square to cut out, and radius of a marker's foot (mm).
const SQUARE: f64 = 40.0;
const FOOT: f64 = 3.0;

/// Returns the sheet as SVG with one unit per millimetre.
pub fn svg(patterns: &[Pattern]) -> String {
    let rows = patterns.len().div_ceil(COLUMNS) as f64;
    let height = HEIGHT.max(CORNER[1] + rows * PITCH[1]);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{WIDTH}mm\" height=\"{height}mm\" viewBox=\"0 0 {WIDTH} \
         {height}\" font-family=\"sans-serif\" font-size=\"4\">\n<title>Marker patterns for {} robots</title>\n<g \
         stroke=\"black\" stroke-width=\"0.3\"><path d=\"M11 16h100m-100 -2v4m100 -4v4\"/></g>\n<text x=\"114\" \
         y=\"17.5\">100 mm: measure this line to check the print scale</text>\n",
        patterns.len()
    );
    for (i, pattern) in patterns.iter().enumerate() {
        let x = CORNER[0] + (i % COLUMNS) as f64 * PITCH[0];
        let y = CORNER[1] + (i / COLUMNS) as f64 * PITCH[1];
        // Writing to a string cannot fail.
        let _ = writeln!(out, "<g transform=\"translate({x} {y})\">\n{}</g>", square(i + 1, pattern));
    }
    out + "</svg>\n"
}

/// Draws one pattern with its front up.
fn square(number: usize, pattern: &Pattern) -> String {
    let middle = SQUARE / 2.0;
    let mut out = format!(
        "<rect width=\"{SQUARE}\" height=\"{SQUARE}\" fill=\"none\" stroke=\"black\" stroke-width=\"0.1\"/>\n\
         <path d=\"M{middle} -4l2 3h-4z\"/>\n<text x=\"0\" y=\"-1\">{number}</text>\n"
    );
    let place = |n: u8| middle + (f64::from(n) - f64::from(SIDE - 1) / 2.0) * SPACING_MM;
    for (row, column) in (0..SIDE).flat_map(|row| (0..SIDE).map(move |column| (row, column))) {
        let (x, y) = (place(column), place(row));
        let _ = writeln!(
            out,
            "<path d=\"M{} {y}h2m-1 -1v2\" stroke=\"grey\" stroke-width=\"0.1\" fill=\"none\"/>",
            x - 1.0
        );
        if pattern.points.contains(&(row, column)) {
            let _ = writeln!(
                out,
                "<circle cx=\"{x}\" cy=\"{y}\" r=\"{FOOT}\" fill=\"none\" stroke=\"black\" stroke-width=\"0.4\"/>"
            );
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Number of patterns on one A4 sheet.
    const ON_A4: usize = 20;

    #[test]
    fn circles_stand_where_the_markers_are_and_on_the_sheet() {
        let patterns = crate::markers::choose(ON_A4, SIDE).unwrap().patterns;
        let text = svg(&patterns);
        let sheet = roxmltree::Document::parse(&text).unwrap();
        assert_eq!(sheet.root_element().attribute("height"), Some("297mm"));
        let number = |node: roxmltree::Node, name: &str| node.attribute(name).unwrap().parse::<f64>().unwrap();
        let squares: Vec<_> = sheet.descendants().filter(|n| n.attribute("transform").is_some()).collect();
        assert_eq!(squares.len(), ON_A4);
        for (group, pattern) in squares.iter().zip(&patterns) {
            let circles = group.children().filter(|n| n.has_tag_name("circle"));
            // Up on paper is the robot's front; right on paper is the robot's right.
            let mut seen: Vec<_> = circles.map(|c| [20.0 - number(c, "cy"), 20.0 - number(c, "cx")]).collect();
            seen.sort_by(|a, b| b.partial_cmp(a).unwrap());
            assert_eq!(seen, pattern.markers_mm());
            let moved = group.attribute("transform").unwrap().trim_matches(|c: char| !c.is_numeric());
            let (x, y) = moved.split_once(' ').unwrap();
            assert!(x.parse::<f64>().unwrap() + SQUARE < WIDTH && y.parse::<f64>().unwrap() + SQUARE < HEIGHT);
        }
    }
}
