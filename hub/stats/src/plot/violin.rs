//! Violins: outlines of the smoothed densities of samples.

use super::Colour;
use super::axis::Axis;
use crate::statistics::density::Density;
use crate::statistics::spread::{median, sorted};
use std::fmt::Write;

/// Number of points on each side of an outline.
const POINTS: usize = 60;

/// Violin of a violin plot.
#[derive(Clone, Debug, PartialEq)]
pub struct ViolinOf {
    /// Centre of the violin along x, and half of its maximum width (units of x).
    pub x: (f64, f64),
    /// Values of the sample. Values that are not finite are left out.
    pub sample: Vec<f64>,
}

impl ViolinOf {
    /// Returns the finite values in ascending order.
    fn values(&self) -> Vec<f64> {
        sorted(&self.sample.iter().copied().filter(|x| x.is_finite()).collect::<Vec<f64>>())
    }

    /// Returns two opposite corners of the violin, which must be inside the axes. The list is empty if the sample has
    /// no finite value.
    pub(super) fn extent(&self) -> Vec<(f64, f64)> {
        let values = self.values();
        let ((middle, half), ends) = (self.x, [values.first(), values.last()]);
        ends.into_iter().flatten().zip([middle - half, middle + half]).map(|(y, x)| (x, *y)).collect()
    }

    /// Returns the right half of the outline: values from minimum to maximum, each with half of the width at this
    /// value. Returns `None` for a sample without a density.
    fn outline(values: &[f64], half: f64) -> Option<Vec<(f64, f64)>> {
        let density = Density::from_sample(values)?;
        let (low, high) = (values[0], values[values.len() - 1]);
        let at = |i: usize| low + (high - low) * i as f64 / (POINTS - 1) as f64;
        let widths: Vec<(f64, f64)> = (0..POINTS).map(at).map(|y| (y, density.at(y))).collect();
        let widest = widths.iter().map(|(_, width)| *width).fold(0.0, f64::max);
        Some(widths.into_iter().map(|(y, width)| (y, half * width / widest)).collect())
    }
}

/// Draws the outline and the median of a violin, and ticks at its minimum and maximum. The length of a tick is a third
/// of the maximum width. For a constant sample, only the median is drawn.
pub(super) fn draw(svg: &mut String, violin: &ViolinOf, colour: Colour, x: &Axis, y: &Axis) {
    let (values, (middle, half), code) = (violin.values(), violin.x, colour.code());
    let (Some(least), Some(greatest)) = (values.first(), values.last()) else { return };
    if let Some(outline) = ViolinOf::outline(&values, half) {
        let right = outline.iter().map(|(y, width)| (middle + width, *y));
        let left = outline.iter().rev().map(|(y, width)| (middle - width, *y));
        let points: Vec<String> =
            right.chain(left).map(|(a, b)| format!("{:.1} {:.1}", x.pixel(a), y.pixel(b))).collect();
        let _ = writeln!(
            svg,
            "    <path class=\"violin\" stroke=\"{code}\" fill=\"{code}\" fill-opacity=\"0.25\" d=\"M{}Z\"/>",
            points.join("L")
        );
        let [from, to] = [middle - half / 3.0, middle + half / 3.0].map(|at| x.pixel(at));
        for value in [least, greatest].map(|value| y.pixel(*value)) {
            let _ = writeln!(svg, "    <path stroke=\"{code}\" fill=\"none\" d=\"M{from:.1} {value:.1}H{to:.1}\"/>");
        }
    }
    let ([from, to], median) = ([middle - half, middle + half].map(|at| x.pixel(at)), y.pixel(median(&values)));
    let _ = writeln!(svg, "    <path class=\"median\" d=\"M{from:.1} {median:.1}H{to:.1}\"/>");
}

#[cfg(test)]
mod tests {
    use super::super::{Plot, to_svg};
    use super::*;

    fn paths(violins: Vec<ViolinOf>) -> (Vec<String>, Vec<String>, usize) {
        let mut plot = Plot::new("t", "x", "y");
        // The line sets the range of the axes: x from 0 to 10, y from 0 to 8, with a margin of 4 %.
        plot.line("", Colour::Grey, vec![(0.0, 0.0), (10.0, 8.0)]);
        plot.violins(Colour::Sky, violins);
        let svg = to_svg(&[plot]);
        assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
        let document = roxmltree::Document::parse(&svg).unwrap();
        let of = |class: &str| -> Vec<String> {
            let nodes = document.descendants().filter(|n| n.attribute("class") == Some(class));
            nodes.map(|n| n.attribute("d").unwrap().to_string()).collect()
        };
        let sky = document.descendants().filter(|n| n.attribute("stroke") == Some(Colour::Sky.code())).count();
        (of("violin"), of("median"), sky)
    }

    #[test]
    fn violin_is_widest_at_most_frequent_values() {
        let sample = vec![3.0, 4.0, 4.0, 4.0, 5.0, f64::NAN];
        let (outlines, medians, strokes) = paths(vec![ViolinOf { x: (5.0, 2.0), sample }]);
        assert_eq!((outlines.len(), medians.len(), strokes), (1, 1, 3));
        let points: Vec<(f64, f64)> = outlines[0]
            .trim_matches(|c| c == 'M' || c == 'Z')
            .split('L')
            .map(|point| point.split_once(' ').unwrap())
            .map(|(x, y)| (x.parse().unwrap(), y.parse().unwrap()))
            .collect();
        assert_eq!(points.len(), 2 * POINTS);
        // The x axis has 10.8 units from pixel 70 to pixel 540, with x = 5 at pixel 305. The y axis has 8.64 units from
        // pixel 365 up to pixel 54.
        let (unit, up) = (470.0 / 10.8, 311.0 / 8.64);
        let widest = points.iter().map(|(x, _)| x - 305.0).fold(0.0, f64::max);
        assert!((widest - 2.0 * unit).abs() < 0.5, "{widest}");
        let place = points.iter().find(|(x, _)| x - 305.0 > widest - 0.2).unwrap().1;
        assert!((place - (365.0 - 4.32 * up)).abs() < 3.0, "{place}");
        let (top, bottom) = points.iter().fold((1e9, 0.0), |(a, b): (f64, f64), p| (a.min(p.1), b.max(p.1)));
        assert!((bottom - (365.0 - 3.32 * up)).abs() < 0.1 && (top - (365.0 - 5.32 * up)).abs() < 0.1);
        // The outline is symmetrical about x = 5.
        for (right, left) in points[..POINTS].iter().zip(points[POINTS..].iter().rev()) {
            assert!((right.0 + left.0 - 610.0).abs() < 0.11 && right.1 == left.1);
        }
        let [from, to] = [305.0 - 2.0 * unit, 305.0 + 2.0 * unit];
        assert_eq!(medians[0], format!("M{from:.1} {:.1}H{to:.1}", 365.0 - 4.32 * up));
    }

    #[test]
    fn samples_that_do_not_vary_are_ticks() {
        let violin = |sample: &[f64]| ViolinOf { x: (5.0, 2.0), sample: sample.to_vec() };
        let (outlines, medians, strokes) =
            paths(vec![violin(&[4.0]), violin(&[2.0; 7]), violin(&[]), violin(&[f64::NAN])]);
        assert_eq!((outlines.len(), medians.len(), strokes), (0, 2, 0));
    }

    #[test]
    fn axes_show_whole_violin() {
        let mut plot = Plot::new("t", "x", "y");
        plot.violins(Colour::Blue, vec![ViolinOf { x: (3.0, 0.5), sample: vec![7.0, -1.0, 2.0, f64::INFINITY] }]);
        assert_eq!(plot.extent(), [(2.5, -1.0), (3.5, 7.0)]);
    }
}
