//! Terrain, which determines the height and the tilt of the robots.

use super::convex::{Convex, clip_below};
use super::description::Description;
use super::outline::{OutlineError, convex_parts};
use super::vector::{Vec2, dot};

/// Common ground, and pieces of raised ground.
#[derive(Clone, Debug)]
pub(super) struct Terrain {
    pub base: f64,
    pub pieces: Vec<Piece>,
}

/// Convex piece of raised ground.
#[derive(Clone, Debug)]
pub(super) struct Piece {
    pub outline: Convex,
    /// Height of the piece's plane at (0, 0) (mm).
    height: f64,
    pub slope: Vec2,
    pub colour: [u8; 3],
}

/// Height and slope of the ground at a point.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct GroundPoint {
    pub height: f64,
    pub slope: Vec2,
}

/// Part of a straight path on which the height is linear in lambda. Lambda is 0 at the start of the path and 1 at its
/// end.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct PathSegment {
    pub from: f64,
    pub to: f64,
    /// Height at lambda 0 (mm). The height is extrapolated if the segment starts at a greater lambda.
    pub height: f64,
    /// Increase of the height per lambda (mm).
    pub rise: f64,
}

impl Piece {
    pub(super) fn height(&self, point: Vec2) -> f64 {
        self.height + dot(self.slope, point)
    }
}

impl Terrain {
    /// Creates the terrain of a world.
    ///
    /// # Errors
    /// An outline is invalid.
    pub(super) fn new(description: &Description) -> Result<Self, OutlineError> {
        let mut pieces = Vec::new();
        for ground in &description.grounds {
            let height = ground.height - dot(ground.slope, ground.outline[0]);
            let (slope, colour) = (ground.slope, ground.colour);
            let parts = convex_parts(&ground.outline)?;
            pieces.extend(parts.into_iter().map(|outline| Piece { outline, height, slope, colour }));
        }
        Ok(Self { base: description.ground_height, pieces })
    }

    pub(super) fn flat(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Returns the highest ground at a point. The border of a piece belongs to the piece.
    pub(super) fn spot(&self, point: Vec2) -> GroundPoint {
        let mut spot = GroundPoint { height: self.base, slope: [0.0, 0.0] };
        for piece in self.pieces.iter().filter(|piece| piece.outline.contains(point, 0.0)) {
            let height = piece.height(point);
            if height > spot.height {
                spot = GroundPoint { height, slope: piece.slope };
            }
        }
        spot
    }

    /// Returns the single segment of a path on flat ground.
    pub(super) fn level(&self) -> PathSegment {
        PathSegment { from: 0.0, to: 1.0, height: self.base, rise: 0.0 }
    }

    /// Returns the segments of the ground below a straight path, in the order of the path.
    pub(super) fn stretches(&self, start: Vec2, way: Vec2) -> Vec<PathSegment> {
        let mut lines = vec![self.level()];
        for piece in &self.pieces {
            if let Some((from, to)) = piece.outline.clip(start, way) {
                lines.push(PathSegment { from, to, height: piece.height(start), rise: dot(piece.slope, way) });
            }
        }
        let mut breaks: Vec<f64> = lines.iter().flat_map(|line| [line.from, line.to]).collect();
        for (at, line) in lines.iter().enumerate() {
            // Computes the lambda at which the planes of two pieces have the same height.
            let meet = |other: &PathSegment| (other.height - line.height) / (line.rise - other.rise);
            breaks.extend(lines[at + 1..].iter().map(meet).filter(|lambda| (0.0..=1.0).contains(lambda)));
        }
        breaks.sort_by(f64::total_cmp);
        breaks.dedup();
        let highest = |pair: &[f64]| {
            let middle = (pair[0] + pair[1]) / 2.0;
            let height = |line: &PathSegment| line.height + line.rise * middle;
            let here = lines.iter().filter(|line| line.from <= middle && middle <= line.to);
            let line = here.max_by(|a, b| height(a).total_cmp(&height(b)))?;
            Some(PathSegment { from: pair[0], to: pair[1], ..*line })
        };
        breaks.windows(2).filter_map(highest).collect()
    }
}

impl PathSegment {
    /// Returns the part of the segment on which two slabs overlap in height by more than `margin` (mm), as values of
    /// lambda; `None` if there is no such part. The ends of `slab` are heights above the ground, and the ends of
    /// `other` are absolute heights (mm).
    pub(super) fn shared(&self, slab: [f64; 2], other: [f64; 2], margin: f64) -> Option<(f64, f64)> {
        let range = clip_below(self.height + slab[0], self.rise, other[1] - margin, (self.from, self.to))?;
        clip_below(-self.height - slab[1], -self.rise, -other[0] - margin, range)
    }
}

#[cfg(test)]
mod tests {
    use super::super::description::Ground;
    use super::super::vector::{add, scale};
    use super::*;

    #[test]
    fn path_over_ramp_and_table_is_split_at_ground_changes() {
        let strip = |from: f64, to: f64| vec![[from, 0.0], [to, 0.0], [to, 100.0], [from, 100.0]];
        let ramp = Ground { outline: strip(100.0, 400.0), height: 0.0, slope: [0.5, 0.0], colour: [0; 3] };
        let table = Ground { outline: strip(200.0, 400.0), height: 100.0, slope: [0.0, 0.0], colour: [0; 3] };
        let description = Description { grounds: vec![ramp, table], ..Description::empty() };
        let terrain = Terrain::new(&description).expect("ground");
        let (start, way) = ([0.0, 50.0], [500.0, 0.0]);
        let stretches = terrain.stretches(start, way);
        let cuts: Vec<f64> = stretches.iter().map(|stretch| stretch.to).collect();
        assert_eq!(cuts, [0.2, 0.4, 0.6, 0.8, 1.0]);
        for stretch in stretches {
            let lambda = stretch.from + (stretch.to - stretch.from) / 3.0;
            let spot = terrain.spot(add(start, scale(way, lambda)));
            assert!((stretch.height + stretch.rise * lambda - spot.height).abs() < 1e-9);
        }
        assert_eq!(terrain.spot([250.0, 50.0]), GroundPoint { height: 100.0, slope: [0.0, 0.0] });
        assert_eq!(terrain.spot([402.0, 50.0]), GroundPoint::default());
        assert_eq!(terrain.spot([400.0, 50.0]), GroundPoint { height: 150.0, slope: [0.5, 0.0] });
    }
}
