//! World without robots, preprocessed for moves and sensors.

use super::convex::Convex;
use super::description::{Colour, Description, DescriptionError};
use super::ground::Terrain;
use super::outline::convex_parts;
use super::shape::{PlacedBody, Prism};
use super::sweep::{TOUCH, overlap};

/// All static objects of a world.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    pub terrain: Terrain,
    pub blocks: Vec<Solid>,
    deadly: Vec<(Convex, Colour)>,
    pub wall_height: f64,
    pub wall_colour: Colour,
    pub ground_colour: Colour,
    pub robot_colour: Colour,
}

/// Convex part of a block.
#[derive(Clone, Debug)]
pub(super) struct Solid {
    pub prism: Prism,
    pub colour: Colour,
    pub light: bool,
    pub sound: bool,
}

impl Scene {
    /// Preprocesses a description.
    ///
    /// # Errors
    /// The description is invalid.
    pub(super) fn new(description: &Description) -> Result<Self, DescriptionError> {
        description.check()?;
        let checked = "outlines that were checked";
        let mut blocks = Vec::new();
        for block in &description.blocks {
            let (span, light, sound) = ([block.bottom, block.top], block.seen_by_light, block.seen_by_sound);
            let parts = convex_parts(&block.outline).expect(checked);
            let solid = |outline| Solid { prism: Prism { outline, span }, colour: block.colour, light, sound };
            blocks.extend(parts.into_iter().map(solid));
        }
        let mut deadly = Vec::new();
        for ground in &description.deadly {
            let parts = convex_parts(&ground.outline).expect(checked);
            deadly.extend(parts.into_iter().map(|part| (part, ground.colour)));
        }
        Ok(Self {
            terrain: Terrain::new(description).expect(checked),
            blocks,
            deadly,
            wall_height: description.wall_height,
            wall_colour: description.wall_colour,
            ground_colour: description.ground_colour,
            robot_colour: description.robot_colour,
        })
    }

    /// Returns whether a body's bottom layer overlaps deadly ground by more than the touch tolerance.
    pub(super) fn kills(&self, placed: &PlacedBody) -> bool {
        let feet = || placed.body.prisms[..placed.body.bottom_prisms].iter();
        let frame = placed.pose.frame();
        self.deadly.iter().any(|(part, _)| feet().any(|foot| overlap(&foot.outline, &frame, part) > TOUCH))
    }

    /// Returns the colour of deadly ground at a point; `None` if the ground there is not deadly.
    pub(super) fn deadly_colour(&self, point: [f64; 2]) -> Option<Colour> {
        self.deadly.iter().find(|(part, _)| part.contains(point, 0.0)).map(|&(_, colour)| colour)
    }
}
