//! Shape of a robot (`BodyShape` in section 3.2 of the specification).

use std::ops::RangeInclusive;

use super::error::MessageError;
use super::reader::Reader;
use super::visit::Visit;

const LAYERS: RangeInclusive<f64> = 1.0..=64.0;
const POLYGONS: RangeInclusive<f64> = 1.0..=64.0;
const POINTS: RangeInclusive<f64> = 3.0..=256.0;
/// Range of coordinates (mm). The specification gives no limit; the arena is 2000 mm wide.
const COORDINATES: RangeInclusive<f64> = -10_000.0..=10_000.0;
/// Range of heights (mm). A height must be above 0, so the lower limit is one nanometre. The upper limit is the
/// height of the arena.
const HEIGHTS: RangeInclusive<f64> = 1e-6..=2000.0;

/// Body made of layers. The layers are stacked from the bottom up, and aligned at the robot's axis of rotation, (0,
/// 0).
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BodyShape {
    /// Layers from the bottom up, 1 to 64.
    pub layers: Vec<Layer>,
}

/// Layer of a body: a prism with a constant outline.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Layer {
    /// Thickness (mm), above 0, at most 2000.
    pub height: f64,
    /// Outlines, 1 to 64. The layer is the union of their interiors.
    pub polygons: Vec<Polygon>,
}

/// Corners `[x, y]` of a polygon (mm). A polygon has 3 to 256 corners, either clockwise or counter-clockwise. The
/// last corner is joined to the first. A coordinate has a magnitude of at most 10000. The positive y-axis is the
/// direction of travel. Self-intersection is not checked.
pub type Polygon = Vec<[f64; 2]>;

impl BodyShape {
    pub(super) fn read(values: &mut Reader<'_>) -> Result<Self, MessageError> {
        let layers = values.whole("count of layers", LAYERS)?;
        let layers = (0..layers).map(|_| Layer::read(values)).collect::<Result<_, _>>()?;
        values.end()?;
        Ok(Self { layers })
    }

    pub(super) fn visit(&self, visit: &mut Visit<'_>) -> Result<(), MessageError> {
        visit("count of layers", self.layers.len() as f64, LAYERS)?;
        for layer in &self.layers {
            visit("height of a layer", layer.height, HEIGHTS)?;
            visit("count of polygons", layer.polygons.len() as f64, POLYGONS)?;
            for polygon in &layer.polygons {
                visit("count of points", polygon.len() as f64, POINTS)?;
                for &[x, y] in polygon {
                    visit("x of a point", x, COORDINATES)?;
                    visit("y of a point", y, COORDINATES)?;
                }
            }
        }
        Ok(())
    }
}

impl Layer {
    fn read(values: &mut Reader<'_>) -> Result<Self, MessageError> {
        let height = values.real("height of a layer")?;
        let polygons = values.whole("count of polygons", POLYGONS)?;
        let polygons = (0..polygons).map(|_| read_polygon(values)).collect::<Result<_, _>>()?;
        Ok(Self { height, polygons })
    }
}

fn read_polygon(values: &mut Reader<'_>) -> Result<Polygon, MessageError> {
    let points = values.whole("count of points", POINTS)?;
    values.require(2 * points as usize)?;
    (0..points).map(|_| Ok([values.real("x of a point")?, values.real("y of a point")?])).collect()
}

#[cfg(test)]
mod tests {
    use super::super::message::Message;
    use super::*;

    fn refusal(line: &str) -> String {
        Message::parse(line).expect_err(line).to_string()
    }

    #[test]
    fn documented_rectangle_is_parsed() {
        let line = "BodyShape 17 1 20 1 4 -30 40 30 40 30 -40 -30 -40";
        let rectangle = vec![[-30.0, 40.0], [30.0, 40.0], [30.0, -40.0], [-30.0, -40.0]];
        let shape = BodyShape { layers: vec![Layer { height: 20.0, polygons: vec![rectangle] }] };
        assert_eq!(Message::parse(line), Ok(Message::BodyShape { identifier: 17, shape }));
    }

    /// Conformance case 25. The three layers should have polygons of 12 and 4, of 14, and of 4 and 4 corners.
    #[test]
    fn wrong_number_count_in_layered_example_is_rejected() {
        let polygon = |count: usize| {
            let corner = |at: usize| std::f64::consts::TAU * at as f64 / count as f64;
            (0..count).map(|at| [40.5 * corner(at).cos(), 40.5 * corner(at).sin()]).collect()
        };
        let layer =
            |height: f64, counts: &[usize]| Layer { height, polygons: counts.iter().map(|&n| polygon(n)).collect() };
        let shape = BodyShape { layers: vec![layer(35.0, &[12, 4]), layer(30.0, &[14]), layer(20.0, &[4, 4])] };
        let message = Message::BodyShape { identifier: 1, shape };
        let mut line = String::new();
        message.write_to(&mut line).expect("a line");
        assert_eq!(line.split(' ').count(), 1 + 2 + 3 * 2 + 5 + 2 * (12 + 4 + 14 + 4 + 4));
        assert_eq!(Message::parse(&line), Ok(message));

        let words: Vec<&str> = line.split(' ').collect();
        for at in 1..words.len() {
            let fewer = [&words[..at], &words[at + 1..]].concat().join(" ");
            assert!(Message::parse(&fewer).is_err(), "without value {at}");
            let more = [&words[..at], &["7.5"], &words[at..]].concat().join(" ");
            assert!(Message::parse(&more).is_err(), "one more before value {at}");
        }
        assert_eq!(refusal(&words[..words.len() - 1].join(" ")), "BodyShape: 88 values, expected at least 89");
        assert_eq!(refusal(&format!("{line} 1")), "BodyShape: 90 values, expected 89");
    }

    #[test]
    fn bounds_hold_when_reading_and_writing() {
        assert_eq!(refusal("BodyShape 1 65 20"), "BodyShape: count of layers 65 is out of range 1 to 64");
        assert_eq!(refusal("BodyShape 1 0"), "BodyShape: count of layers 0 is out of range 1 to 64");
        assert_eq!(refusal("BodyShape 1 1 20 65"), "BodyShape: count of polygons 65 is out of range 1 to 64");
        assert_eq!(refusal("BodyShape 1 1 20 1 2 0 0 1 1"), "BodyShape: count of points 2 is out of range 3 to 256");
        assert_eq!(refusal("BodyShape 1 1 20 1 257"), "BodyShape: count of points 257 is out of range 3 to 256");
        assert_eq!(
            refusal("BodyShape 1 1 20 1 3.5"),
            "BodyShape: the count of points is 3.5, but must be a whole number"
        );
        for height in ["-1", "2001"] {
            assert!(refusal(&format!("BodyShape 1 1 {height} 1 3 0 0 1 0 0 1")).contains("height of a layer"));
        }
        let height = "BodyShape: height of a layer 0 is out of range 0.000001 to 2000";
        assert_eq!(refusal("BodyShape 1 1 0 1 3 0 0 1 0 0 1"), height);
        assert!(refusal("BodyShape 1 1 20 1 3 0 0 10001 0 0 1").contains("x of a point 10001"));

        let polygon = vec![[0.0, 0.0], [1.0, 0.0], [0.0, f64::NAN]];
        let shape = BodyShape { layers: vec![Layer { height: 20.0, polygons: vec![polygon] }] };
        let mut line = String::from("kept");
        assert!(Message::BodyShape { identifier: 1, shape }.write_to(&mut line).is_err());
        assert_eq!(line, "kept");
    }
}
