//! Graph of the ancestry of a run's last trees. Founders are on the left, and the final trees of the robots are on
//! the right. Each island has a row, and edges are coloured by operator.

use super::collect::{Ancestor, RunFacts};
use std::collections::BTreeMap;
use std::fmt::Write;
use xpuck_evolve::Id;
use xpuck_kernels::markup::escape;
use xpuck_stats::plot::{Colour, begin_svg};
use xpuck_wire::message::Operator;

/// Maximum number of individuals in the graph. If there are more, the oldest individuals are left out.
const MOST: usize = 3000;
/// Width of the figure and of its margins (px).
const WIDTH: f64 = 1120.0;
const LEFT: f64 = 90.0;
const RIGHT: f64 = 30.0;
/// Height of an island's row, and of the margins above and below all rows (px).
const ROW: f64 = 34.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = 70.0;

/// Operators with their colours and their labels in the legend.
const OPERATORS: [(Operator, Colour, &str); 4] = [
    (Operator::Random, Colour::Green, "random: a founder"),
    (Operator::Mutation, Colour::Blue, "mutation"),
    (Operator::Crossover, Colour::Red, "crossover"),
    (Operator::Unknown, Colour::Grey, "not recorded"),
];

fn colour(operator: Operator) -> &'static str {
    OPERATORS.iter().find(|(other, ..)| *other == operator).map_or(Colour::Grey, |(_, colour, _)| *colour).code()
}

/// Draws the ancestry graph of a run as SVG; `None` if the record contains no births.
pub fn draw(run: &RunFacts) -> Option<String> {
    let mut shown: Vec<&Ancestor> = run.ancestry.iter().collect();
    shown.sort_by_key(|ancestor| (u32::MAX - ancestor.generation, ancestor.id));
    let left_out = shown.len().saturating_sub(MOST);
    shown.truncate(MOST);
    let last = shown.first().filter(|ancestor| ancestor.generation > 0)?.generation;
    let first = shown.iter().map(|ancestor| ancestor.generation).min().unwrap_or(0);
    let mut islands: Vec<u16> = shown.iter().map(|ancestor| ancestor.id.island).collect();
    islands.sort_unstable();
    islands.dedup();
    let span = f64::from((last - first).max(1));
    let place = |ancestor: &Ancestor| {
        let row = islands.binary_search(&ancestor.id.island).unwrap_or(0) as f64;
        // Individuals of the same generation get different heights within the row of their island.
        let within = f64::from(ancestor.id.number % 7) / 7.0;
        let x = LEFT + (WIDTH - LEFT - RIGHT) * f64::from(ancestor.generation - first) / span;
        (x, TOP + ROW * (row + 0.15 + 0.7 * within))
    };
    let places: BTreeMap<Id, (f64, f64)> = shown.iter().map(|ancestor| (ancestor.id, place(ancestor))).collect();
    let height = TOP + ROW * islands.len() as f64 + BOTTOM;
    let mut svg = begin_svg(WIDTH, height);
    let _ = writeln!(svg, "<text x=\"{LEFT}\" y=\"24\" font-weight=\"bold\">{}</text>", escape(&run.name));
    for (row, island) in islands.iter().enumerate() {
        let y = TOP + ROW * row as f64;
        let _ = writeln!(svg, "<path d=\"M{LEFT} {y}H{WIDTH}\" stroke=\"#e3e6ea\"/>");
        let _ = writeln!(svg, "<text x=\"8\" y=\"{:.0}\">island {island}</text>", y + ROW * 0.6);
    }
    for ancestor in &shown {
        let Some((x, y)) = places.get(&ancestor.id) else { continue };
        for parent in &ancestor.parents {
            if let Some((from_x, from_y)) = places.get(parent) {
                let _ = writeln!(
                    svg,
                    "<path d=\"M{from_x:.1} {from_y:.1}L{x:.1} {y:.1}\" stroke=\"{}\" stroke-opacity=\"0.35\"/>",
                    colour(ancestor.operator)
                );
            }
        }
    }
    for ancestor in &shown {
        let Some((x, y)) = places.get(&ancestor.id) else { continue };
        let radius = if ancestor.last { 5.0 } else { 2.0 };
        let mut parents: Vec<String> = ancestor.parents.iter().map(Id::to_string).collect();
        parents.dedup();
        let of = if parents.is_empty() { String::new() } else { format!(" of {}", parents.join(" and ")) };
        let what = OPERATORS.iter().find(|(operator, ..)| *operator == ancestor.operator).map_or("", |(.., word)| word);
        let text = format!("{}, generation {}: {what}{of}", ancestor.id, ancestor.generation);
        let _ = writeln!(
            svg,
            "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius}\" fill=\"{}\"{}><title>{}</title></circle>",
            colour(ancestor.operator),
            if ancestor.last { " stroke=\"#000000\"" } else { "" },
            escape(&text)
        );
    }
    legend(&mut svg, height, first, last, left_out);
    svg.push_str("</svg>\n");
    Some(svg)
}

fn legend(svg: &mut String, height: f64, first: u32, last: u32, left_out: usize) {
    let (axis, row) = (height - BOTTOM + 18.0, height - BOTTOM + 44.0);
    let _ = writeln!(svg, "<text x=\"{LEFT}\" y=\"{axis}\">generation {first}</text>");
    let end = WIDTH - RIGHT;
    let _ = writeln!(svg, "<text x=\"{end}\" y=\"{axis}\" text-anchor=\"end\">generation {last}</text>");
    let mut x = LEFT;
    for (_, colour, word) in OPERATORS {
        let _ = writeln!(svg, "<circle cx=\"{x}\" cy=\"{}\" r=\"4\" fill=\"{}\"/>", row - 4.0, colour.code());
        let _ = writeln!(svg, "<text x=\"{}\" y=\"{row}\">{word}</text>", x + 10.0);
        x += 40.0 + 7.0 * word.len() as f64;
    }
    let mut note = "outlined: drove a robot at the end".to_string();
    if left_out > 0 {
        note += &format!("; {left_out} older ones are not drawn");
    }
    let _ = writeln!(svg, "<text x=\"{x}\" y=\"{row}\">{note}</text>");
}
