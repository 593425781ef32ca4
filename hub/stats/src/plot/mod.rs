//! Plots as SVG, for reports in a browser or a paper: panels with axes, lines, bands, points and marks.

mod axis;
mod draw;
mod violin;

pub use violin::ViolinOf;

use xpuck_kernels::fonts;

/// Maximum number of drawn points per layer; more points are thinned evenly.
const MOST_POINTS: usize = 3000;

/// Colours that colour-blind readers can distinguish: those of Okabe and Ito without yellow, which is too pale for
/// lines on white. Grey is added for background elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "colours say what they are")]
pub enum Colour {
    Blue,
    Orange,
    Green,
    Red,
    Purple,
    Sky,
    Black,
    Grey,
}

impl Colour {
    /// Returns the SVG code of the colour.
    pub fn code(self) -> &'static str {
        match self {
            Colour::Blue => "#0072b2",
            Colour::Orange => "#e69f00",
            Colour::Green => "#009e73",
            Colour::Red => "#d55e00",
            Colour::Purple => "#cc79a7",
            Colour::Sky => "#56b4e9",
            Colour::Black => "#000000",
            Colour::Grey => "#b0b6bd",
        }
    }
}

/// Style of a line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stroke {
    colour: Colour,
    /// SVG dash pattern: lengths of dashes and gaps (pixels). Empty for a solid line.
    dashes: &'static str,
    faint: bool,
}

impl Stroke {
    /// Number of different strokes of [`Stroke::of_series`].
    pub const SERIES: usize = 2 * Stroke::COLOURS;
    /// Number of different colours of [`Stroke::of_series`].
    pub const COLOURS: usize = 7;

    /// Returns the stroke of series `i`, from 0. The first [`Stroke::COLOURS`] series have different colours and solid
    /// lines. The following series have the same colours and dashed lines. Strokes repeat after [`Stroke::SERIES`].
    pub fn of_series(i: usize) -> Stroke {
        use Colour::{Black, Blue, Green, Orange, Purple, Red, Sky};
        let colours: [Colour; Stroke::COLOURS] = [Blue, Orange, Green, Red, Purple, Sky, Black];
        let stroke = Stroke::from(colours[i % colours.len()]);
        if i % Stroke::SERIES < colours.len() { stroke } else { stroke.dashed() }
    }

    /// Returns the stroke with dashes, for a line next to a solid line of the same colour.
    pub fn dashed(self) -> Stroke {
        Stroke { dashes: "7 4", ..self }
    }

    /// Returns a thin and pale stroke, for many lines of the same kind.
    pub fn faint(self) -> Stroke {
        Stroke { faint: true, ..self }
    }

    /// Returns the colour of the stroke.
    pub fn colour(self) -> Colour {
        self.colour
    }
}

impl From<Colour> for Stroke {
    fn from(colour: Colour) -> Stroke {
        Stroke { colour, dashes: "", faint: false }
    }
}

#[derive(Clone, Debug)]
enum Layer {
    Line { label: String, stroke: Stroke, points: Vec<(f64, f64)> },
    Points { label: String, colour: Colour, points: Vec<(f64, f64)> },
    Band { label: String, colour: Colour, edges: Vec<(f64, f64, f64)> },
    Mark { label: String, colour: Colour, x: f64 },
    Boxes { colour: Colour, boxes: Vec<BoxShape> },
    Violins { colour: Colour, violins: Vec<ViolinOf> },
    Notes { notes: Vec<(f64, f64, String)> },
}

/// Box of a box plot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BoxShape {
    /// Centre of the box along x, and half of its width (units of x).
    pub x: (f64, f64),
    /// Minimum, lower quartile, median, upper quartile and maximum.
    pub numbers: [f64; 5],
}

/// Panel of a figure. Layers are drawn in the order in which they were added. Points that are not finite are left
/// out, and a layer with an empty label does not appear in the legend.
#[derive(Clone, Debug)]
pub struct Plot {
    title: String,
    labels: [String; 2],
    same_scale: bool,
    whole_x: bool,
    layers: Vec<Layer>,
}

impl Plot {
    /// Creates an empty panel; `x` and `y` are the labels of the axes, with units.
    pub fn new(title: &str, x: &str, y: &str) -> Plot {
        let labels = [x.into(), y.into()];
        Plot { title: title.into(), labels, same_scale: false, whole_x: false, layers: Vec::new() }
    }

    /// Returns the panel with the same scale along both axes, for maps.
    pub fn same_scale(self) -> Plot {
        Plot { same_scale: true, ..self }
    }

    /// Returns the panel with x ticks at whole numbers only, for counts.
    pub fn whole_x(self) -> Plot {
        Plot { whole_x: true, ..self }
    }

    /// Adds a line through points.
    pub fn line(&mut self, label: &str, stroke: impl Into<Stroke>, points: Vec<(f64, f64)>) {
        self.layers.push(Layer::Line { label: label.into(), stroke: stroke.into(), points });
    }

    /// Adds dots. More than 3000 dots are thinned evenly.
    pub fn points(&mut self, label: &str, colour: Colour, mut points: Vec<(f64, f64)>) {
        points = points.iter().step_by(points.len().div_ceil(MOST_POINTS).max(1)).copied().collect();
        self.layers.push(Layer::Points { label: label.into(), colour, points });
    }

    /// Adds an area between two curves, given by x, lower and upper values.
    pub fn band(&mut self, label: &str, colour: Colour, edges: Vec<(f64, f64, f64)>) {
        self.layers.push(Layer::Band { label: label.into(), colour, edges });
    }

    /// Adds boxes of a box plot. Each box extends from the lower to the upper quartile, and has a red line at the
    /// median. Whiskers extend to the minimum and the maximum.
    pub fn boxes(&mut self, colour: Colour, boxes: Vec<BoxShape>) {
        self.layers.push(Layer::Boxes { colour, boxes });
    }

    /// Adds outlines of the samples' smoothed densities (Scott's rule) from minimum to maximum. Each outline is scaled
    /// separately, so that its maximum width is the width of the violin. Ticks mark the minimum and the maximum, and a
    /// red line marks the median. For a constant sample, only the median is drawn.
    pub fn violins(&mut self, colour: Colour, violins: Vec<ViolinOf>) {
        self.layers.push(Layer::Violins { colour, violins });
    }

    /// Adds a dashed vertical line with a label at its bottom end.
    pub fn mark(&mut self, label: &str, colour: Colour, x: f64) {
        self.layers.push(Layer::Mark { label: label.into(), colour, x });
    }

    /// Adds texts at positions. A viewer shows a text when the pointer is at its position. More than 3000 texts are
    /// thinned evenly.
    pub fn notes(&mut self, mut notes: Vec<(f64, f64, String)>) {
        notes = notes.iter().step_by(notes.len().div_ceil(MOST_POINTS).max(1)).cloned().collect();
        self.layers.push(Layer::Notes { notes });
    }

    /// Returns points that must be inside the axes.
    fn extent(&self) -> Vec<(f64, f64)> {
        let mut all = Vec::new();
        for layer in &self.layers {
            match layer {
                Layer::Line { points, .. } | Layer::Points { points, .. } => all.extend(points.iter().copied()),
                Layer::Band { edges, .. } => all.extend(edges.iter().flat_map(|e| [(e.0, e.1), (e.0, e.2)])),
                Layer::Boxes { boxes, .. } => {
                    let ends = |b: &BoxShape| [(b.x.0 - b.x.1, b.numbers[0]), (b.x.0 + b.x.1, b.numbers[4])];
                    all.extend(boxes.iter().flat_map(ends));
                }
                Layer::Violins { violins, .. } => all.extend(violins.iter().flat_map(ViolinOf::extent)),
                Layer::Mark { .. } | Layer::Notes { .. } => {}
            }
        }
        all.retain(|(x, y)| x.is_finite() && y.is_finite());
        all
    }
}

/// Legend and caption below the panels of a figure.
#[derive(Clone, Debug, Default)]
pub struct Footer {
    /// Label and stroke of each series in the panels.
    pub series: Vec<(String, Stroke)>,
    /// Paragraphs of the caption. Long paragraphs are wrapped.
    pub caption: Vec<String>,
}

/// Draws the panels side by side.
pub fn to_svg(panels: &[Plot]) -> String {
    draw::figure(panels, &Footer::default())
}

/// Draws the panels side by side, with a common legend and a caption below them.
pub fn to_svg_with(panels: &[Plot], footer: &Footer) -> String {
    draw::figure(panels, footer)
}

/// Returns the opening elements of an SVG drawing of this size (pixels). The drawing has a white background, and the
/// font of all drawings that are not plots.
pub fn begin_svg(width: f64, height: f64) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" viewBox=\"0 0 {width:.0} \
         {height:.0}\" font-family=\"{}\" font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n",
        fonts::SANS
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_layer_is_well_formed_svg_at_its_place() {
        let mut plot = Plot::new("a < b & c", "x", "y");
        plot.line("line", Colour::Blue, vec![(0.0, 0.0), (10.0, 5.0), (f64::NAN, 1.0)]);
        plot.points("dots", Colour::Red, (0..9000).map(|i| (f64::from(i) / 900.0, 1.0)).collect());
        plot.band("band", Colour::Grey, vec![(0.0, 1.0, 2.0), (10.0, 2.0, 4.0)]);
        plot.mark("best", Colour::Green, 5.0);
        plot.boxes(Colour::Sky, vec![BoxShape { x: (4.0, 0.5), numbers: [1.0, 2.0, 2.5, 3.0, 4.0] }]);
        plot.notes(vec![(5.0, 2.5, "half < \"way\"".into()), (f64::NAN, 0.0, "nowhere".into())]);
        let svg = to_svg(&[plot.clone(), Plot::new("empty", "", ""), plot.same_scale()]);
        let document = roxmltree::Document::parse(&svg).unwrap();
        assert_eq!(document.root_element().attribute("width"), Some("1680"));
        assert_eq!(document.descendants().filter(|n| n.has_tag_name("circle")).count(), 2 * 3001);
        let note = document.descendants().find(|n| n.has_tag_name("title")).unwrap();
        assert_eq!((note.text(), note.parent().unwrap().attribute("cx")), (Some("half < \"way\""), Some("305.0")));
        assert!(svg.contains("a &lt; b &amp; c") && !svg.contains("NaN"));
        let boxes: Vec<_> = document.descendants().filter(|n| n.attribute("class") == Some("median")).collect();
        assert_eq!(boxes.len(), 2);
        // The mark at 5 is in the middle between the margins.
        assert!(svg.contains("d=\"M305.0 365.0V54.0\""), "{svg}");
    }

    #[test]
    fn shared_legend_wraps_and_increases_height() {
        let series = |n: usize| (0..n).map(|i| (format!("setting number {i}"), Stroke::of_series(i))).collect();
        let height = |n: usize, caption: &[&str]| {
            let footer = Footer { series: series(n), caption: caption.iter().map(|l| l.to_string()).collect() };
            let svg = to_svg_with(&[Plot::new("t", "x", "y")], &footer);
            let document = roxmltree::Document::parse(&svg).unwrap();
            let texts: Vec<&str> = document.descendants().filter_map(|n| n.text()).collect();
            assert!((0..n).all(|i| texts.contains(&format!("setting number {i}").as_str())), "{svg}");
            assert!(caption.iter().all(|line| texts.contains(line)), "{svg}");
            document.root_element().attribute("height").unwrap().parse::<f64>().unwrap()
        };
        assert_eq!(height(0, &[]), 420.0);
        let (one, many) = (height(2, &[]), height(9, &[]));
        assert!(one > 420.0 && many > one, "{one} {many}");
        assert!(height(2, &["Bands & more"]) > one);
        let words = "a sentence that goes on ".repeat(6);
        let svg = to_svg_with(&[Plot::new("t", "x", "y")], &Footer { series: vec![], caption: vec![words.clone()] });
        let document = roxmltree::Document::parse(&svg).unwrap();
        let lines: Vec<&str> =
            document.descendants().filter(|n| n.has_tag_name("text")).filter_map(|n| n.text()).collect();
        let lines: Vec<&str> =
            lines.into_iter().filter(|text| text.contains("goes") || text.contains("sentence")).collect();
        assert!(lines.len() == 3 && lines.iter().all(|line| line.len() < 66), "{lines:?}");
        assert_eq!(lines.join(" ").trim(), words.trim());
        let strokes: Vec<Stroke> = (0..Stroke::SERIES).map(Stroke::of_series).collect();
        assert!((0..strokes.len()).all(|i| !strokes[..i].contains(&strokes[i])), "all different");
    }
}
