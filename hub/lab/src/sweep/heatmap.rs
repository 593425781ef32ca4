//! Heat map of a sweep over two keys: a cell for each pair of values, coloured by the final fitness of its runs.

use super::Point;
use std::fmt::Write;
use toml::Value;
use xpuck_kernels::markup::escape;
use xpuck_stats::figure::Figure;
use xpuck_stats::plot::begin_svg;

/// Final fitness of the runs of a point.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ends {
    /// Final fitness of each run.
    pub fitness: Vec<f64>,
}

/// Colours of the scale, from low to high: viridis of matplotlib. Its lightness increases evenly, so that the order
/// is also visible to colour-blind readers and in greyscale prints.
const SCALE: [[u8; 3]; 10] = [
    [0x44, 0x01, 0x54],
    [0x48, 0x28, 0x78],
    [0x3e, 0x49, 0x89],
    [0x31, 0x68, 0x8e],
    [0x26, 0x82, 0x8e],
    [0x1f, 0x9e, 0x89],
    [0x35, 0xb7, 0x79],
    [0x6e, 0xce, 0x58],
    [0xb5, 0xde, 0x2b],
    [0xfd, 0xe7, 0x25],
];
/// Minimum width and fixed height of a cell (px).
const CELL: (f64, f64) = (84.0, 52.0);
/// Approximate width of a character (px).
const LETTER: f64 = 7.2;
/// Maximum number of displayed characters of a value.
const LETTERS: usize = 24;
const TOP: f64 = 84.0;
const MARGIN: f64 = 20.0;

/// Draws the map as SVG. `what` describes the fitness. Returns `None` unless the points are all combinations of the
/// values of exactly two keys.
pub fn draw(title: &str, what: &str, points: &[Point], ends: &[Ends]) -> Option<String> {
    let grid = Grid::from_points(points)?;
    let means: Vec<Option<f64>> = ends.iter().map(mean).collect();
    let low = means.iter().flatten().copied().fold(f64::INFINITY, f64::min);
    let high = means.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
    let longest = |values: &[String]| values.iter().map(|v| v.chars().count()).max().unwrap_or(0) as f64 * LETTER;
    let wide = CELL.0.max(longest(&grid.across) + 12.0);
    let left = 2.0 * MARGIN + 14.0 + longest(&grid.down);
    let (width, height) = (wide * grid.across.len() as f64, CELL.1 * grid.down.len() as f64);
    let bar = left + width + 24.0;
    // The map is wide enough for the title and for `what`, the line below the title.
    let words = (9.0 * title.chars().count() as f64).max(6.4 * what.chars().count() as f64);
    let whole = (bar + 90.0).max(words + 2.0 * MARGIN);
    let mut svg = begin_svg(whole, TOP + height + 66.0);
    let mut text = |x: f64, y: f64, more: &str, words: &str| {
        let _ = writeln!(svg, "<text x=\"{x:.1}\" y=\"{y:.1}\" {more}>{}</text>", escape(words));
    };
    // The text has inline styles, because styles of the page that contains the map override attributes.
    let (dark, middle) = ("style=\"fill:#1b1f24\"", "style=\"fill:#1b1f24;text-anchor:middle\"");
    text(MARGIN, 26.0, "style=\"fill:#1b1f24;font-size:16px;font-weight:bold\"", title);
    text(MARGIN, 46.0, "style=\"fill:#57606a;font-size:12px\"", what);
    text(left + width / 2.0, TOP + height + 44.0, middle, &grid.keys[1]);
    let turned = format!("{middle} transform=\"rotate(-90 {MARGIN} {:.1})\"", TOP + height / 2.0);
    text(MARGIN, TOP + height / 2.0, &turned, &grid.keys[0]);
    for (i, value) in grid.across.iter().enumerate() {
        text(left + wide * (i as f64 + 0.5), TOP + height + 20.0, middle, value);
    }
    for (i, value) in grid.down.iter().enumerate() {
        let y = TOP + CELL.1 * (i as f64 + 0.5) + 4.5;
        text(left - 8.0, y, "style=\"fill:#1b1f24;text-anchor:end\"", value);
    }
    for ((place, mean), ends) in grid.places.iter().zip(&means).zip(ends) {
        let (x, y) = (left + wide * place.1 as f64, TOP + CELL.1 * place.0 as f64);
        let part = mean.map(|mean| if high > low { (mean - low) / (high - low) } else { 0.5 });
        let (fill, ink) = part.map_or(("#e3e6ea".into(), "#57606a"), |part| (code(colour(part)), ink(colour(part))));
        let _ = writeln!(
            svg,
            "<rect class=\"cell\" x=\"{x:.1}\" y=\"{y:.1}\" width=\"{wide:.1}\" height=\"{:.1}\" fill=\"{fill}\" \
             stroke=\"#ffffff\"/>",
            CELL.1
        );
        let number = mean.map_or("no run".into(), |mean| format!("{:.4}", Figure(mean)));
        let (x, count) = (x + wide / 2.0, format!("n = {}", ends.fitness.len()));
        let _ = writeln!(
            svg,
            "<text class=\"mean\" x=\"{x:.1}\" y=\"{:.1}\" style=\"fill:{ink};text-anchor:middle\">{number}</text>\n\
             <text class=\"runs\" x=\"{x:.1}\" y=\"{:.1}\" style=\"fill:{ink};text-anchor:middle;font-size:11px\">{count}</text>",
            y + 24.0,
            y + 40.0
        );
    }
    if low <= high {
        let _ = writeln!(svg, "<defs><linearGradient id=\"heatmap-scale\" x1=\"0\" y1=\"1\" x2=\"0\" y2=\"0\">");
        for (i, stop) in SCALE.iter().enumerate() {
            let at = 100.0 * i as f64 / (SCALE.len() - 1) as f64;
            let _ = writeln!(svg, "<stop offset=\"{at:.1}%\" stop-color=\"{}\"/>", code(*stop));
        }
        let _ = writeln!(
            svg,
            "</linearGradient></defs>\n<rect x=\"{bar:.1}\" y=\"{TOP:.1}\" width=\"14\" height=\"{height:.1}\" \
             fill=\"url(#heatmap-scale)\"/>"
        );
        for (y, value) in [(TOP + 10.0, high), (TOP + height, low)] {
            let _ = writeln!(svg, "<text x=\"{:.1}\" y=\"{y:.1}\" {dark}>{:.4}</text>", bar + 20.0, Figure(value));
        }
    }
    svg.push_str("</svg>\n");
    Some(svg)
}

fn mean(ends: &Ends) -> Option<f64> {
    let count = ends.fitness.len();
    (count > 0).then(|| ends.fitness.iter().sum::<f64>() / count as f64).filter(|mean| mean.is_finite())
}

/// Grid of two keys, with the values of each key and the value indices of each point.
struct Grid {
    keys: [String; 2],
    down: Vec<String>,
    across: Vec<String>,
    places: Vec<(usize, usize)>,
}

impl Grid {
    fn from_points(points: &[Point]) -> Option<Grid> {
        let [(first, _), (second, _)] = &points.first()?.values[..] else { return None };
        let (mut down, mut across, mut places) = (Vec::new(), Vec::new(), Vec::new());
        for point in points {
            let [(a, one), (b, other)] = &point.values[..] else { return None };
            if a != first || b != second {
                return None;
            }
            let place = (place(&mut down, one), place(&mut across, other));
            if places.contains(&place) {
                return None;
            }
            places.push(place);
        }
        let whole = places.len() == down.len() * across.len();
        let shown = |values: &[&Value]| values.iter().map(|value| shown(value)).collect();
        let keys = [first.clone(), second.clone()];
        whole.then(|| Grid { keys, down: shown(&down), across: shown(&across), places })
    }
}

/// Returns the index of a value in `seen`. A value that is not yet in `seen` is appended.
fn place<'a>(seen: &mut Vec<&'a Value>, value: &'a Value) -> usize {
    seen.iter().position(|one| *one == value).unwrap_or_else(|| {
        seen.push(value);
        seen.len() - 1
    })
}

fn shown(value: &Value) -> String {
    let text = value.as_str().map_or_else(|| value.to_string(), str::to_string);
    match text.char_indices().nth(LETTERS) {
        Some((end, _)) => format!("{}...", &text[..end]),
        None => text,
    }
}

/// Returns the colour at a position on the scale (0..=1).
fn colour(part: f64) -> [u8; 3] {
    let at = part.clamp(0.0, 1.0) * (SCALE.len() - 1) as f64;
    let below = (at as usize).min(SCALE.len() - 2);
    let [low, high] = [SCALE[below], SCALE[below + 1]];
    [0, 1, 2]
        .map(|i| (f64::from(low[i]) + (at - below as f64) * (f64::from(high[i]) - f64::from(low[i]))).round() as u8)
}

fn code([r, g, b]: [u8; 3]) -> String {
    format!("#{r:02x}{g:02x}{b:02x}")
}

/// Returns a text colour that is legible on a background colour.
fn ink([r, g, b]: [u8; 3]) -> &'static str {
    let light = 0.2126 * f64::from(r) + 0.7152 * f64::from(g) + 0.0722 * f64::from(b);
    if light > 130.0 { "#000000" } else { "#ffffff" }
}

#[cfg(test)]
mod tests {
    use super::*;
    use toml::Table;

    fn point(first: i64, second: &str) -> Point {
        let values = vec![("islands".into(), first.into()), ("settings.kind".into(), second.into())];
        Point { label: format!("{first} {second}"), values, content: Table::new() }
    }

    #[test]
    fn grid_of_two_keys_has_cell_per_pair() {
        let points = [point(1, "a < b"), point(1, "c"), point(2, "a < b"), point(2, "c")];
        let ends = |fitness: &[f64]| Ends { fitness: fitness.to_vec() };
        let of = [ends(&[0.1, 0.3]), ends(&[]), ends(&[-0.00001]), ends(&[0.4, 0.4, 0.4])];
        let svg = draw("two & two", "mean", &points, &of).unwrap();
        let document = roxmltree::Document::parse(&svg).unwrap();
        let of =
            |class: &str| document.descendants().filter(|n| n.attribute("class") == Some(class)).collect::<Vec<_>>();
        let texts = |class: &str| of(class).iter().map(|n| n.text().unwrap().to_string()).collect::<Vec<_>>();
        assert_eq!(texts("mean"), ["0.2000", "no run", "0.0000", "0.4000"]);
        assert_eq!(texts("runs"), ["n = 2", "n = 0", "n = 1", "n = 3"]);
        let fills: Vec<_> = of("cell").iter().map(|n| n.attribute("fill").unwrap().to_string()).collect();
        assert_eq!((&*fills[1], &*fills[2], &*fills[3]), ("#e3e6ea", "#440154", "#fde725"));
        let inks: Vec<_> = of("mean").iter().map(|n| n.attribute("style").unwrap()).collect();
        assert!(inks[2].starts_with("fill:#ffffff;") && inks[3].starts_with("fill:#000000;"));
        assert!(svg.contains("a &lt; b") && svg.contains(">islands<") && svg.contains(">settings.kind<"));
    }

    #[test]
    fn other_sweeps_have_no_map() {
        let one = |values: Vec<(String, Value)>| Point { label: String::new(), values, content: Table::new() };
        let key = |key: &str| (key.to_string(), Value::Integer(1));
        for points in [
            vec![],
            vec![one(vec![])],
            vec![one(vec![key("a")])],
            vec![one(vec![key("a"), key("b"), key("c")])],
            vec![point(1, "a"), one(vec![key("islands"), key("other")])],
            vec![point(1, "a"), point(2, "b")],
        ] {
            assert!(draw("", "", &points, &vec![Ends::default(); points.len()]).is_none(), "{points:?}");
        }
        assert!(draw("", "", &[point(1, "a")], &[Ends::default()]).is_some(), "one pair, no run yet");
    }

    #[test]
    fn lightness_rises_along_the_scale() {
        let light =
            |part: f64| colour(part).iter().zip([0.2126, 0.7152, 0.0722]).map(|(c, w)| f64::from(*c) * w).sum::<f64>();
        assert!((1..=100).all(|i| light(f64::from(i) / 100.0) > light(f64::from(i - 1) / 100.0) - 1.0));
    }
}
