//! Cost of a formula: number of operations of an update, and of the value.

use super::quantity::Quantity;
use super::{Objective, ReductionKind};

/// Number of operations that a formula needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Regions whose robots are found in each update.
    pub regions: usize,
    /// Operations for each robot in each update: tests of the regions' shapes, visits, steps, crossings and distances to
    /// other robots.
    pub per_robot: usize,
    /// Operations of the formulas in each update, including reductions, latches and conditions.
    pub per_world: usize,
    /// Operations of the formula's value, which is computed at the end.
    pub at_the_end: usize,
    /// Quantities over the points of a region, computed once per second or at the end.
    pub fields: Vec<Field>,
}

/// Cost of a quantity over the points of a region.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// Description of the quantity.
    pub words: String,
    /// Number of points. For each point, the distances to all robots are computed.
    pub points: usize,
    /// Whether the quantity is computed once per second; otherwise, it is computed at the end.
    pub every_second: bool,
}

impl Objective {
    /// Cost of an update and of the value, in an arena with half the length and width `half_arena` (m), for a number of
    /// robots.
    pub fn cost(&self, half_arena: (f32, f32), robots: usize) -> Cost {
        let (ops, quantities) = self.needed();
        let counted = self.counted_zones();
        let shapes = |zone: &u16| {
            let zone = &self.zones[usize::from(*zone)];
            zone.shapes.len() + zone.without.len()
        };
        let of = |(quantity, needed): (&Quantity, &bool)| match quantity {
            // These quantities remember earlier updates, so every update computes them.
            Quantity::Delivered { .. } | Quantity::Visited { .. } | Quantity::Age { .. } | Quantity::Crossed { .. } => {
                1
            }
            Quantity::Count { .. } | Quantity::Moving { .. } | Quantity::Speed | Quantity::Alignment => {
                usize::from(*needed)
            }
            Quantity::Cluster { .. }
            | Quantity::Clusters { .. }
            | Quantity::Hops { .. }
            | Quantity::Nearest
            | Quantity::NearestUpTo { .. }
            | Quantity::Pairs => usize::from(*needed) * robots.saturating_sub(1),
            Quantity::Distance { .. }
            | Quantity::Covered { .. }
            | Quantity::Area { .. }
            | Quantity::Disc { .. }
            | Quantity::Discs { .. } => 0,
        };
        let field = |(quantity, needed): (&Quantity, &bool)| match quantity {
            Quantity::Distance { zone, .. } | Quantity::Covered { zone, .. } => Some(Field {
                words: self.quantity_words(quantity),
                points: self.zones[usize::from(*zone)].points(half_arena).len(),
                every_second: *needed,
            }),
            _ => None,
        };
        let all = || self.quantities.iter().zip(&quantities);
        let running = |kind| kind != ReductionKind::Last;
        Cost {
            regions: counted.len(),
            per_robot: counted.iter().map(shapes).sum::<usize>() + all().map(of).sum::<usize>(),
            per_world: ops.iter().filter(|needed| **needed).count()
                + self
                    .reductions
                    .iter()
                    .filter(|reduction| running(reduction.kind) || reduction.window.is_some())
                    .count(),
            at_the_end: self.value.len() + ops.iter().filter(|needed| !**needed).count(),
            fields: all().filter_map(field).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;
    use crate::math::vec2;
    use crate::world::task::Region;
    use crate::world::zone::{Zone, ZoneShape};

    fn cost(formula: &str) -> Cost {
        let disc = |x: f32| ZoneShape::Simple(Region::Disc { at: vec2(x, 0.0), radius: 0.3 });
        let zone = |name: &str, x, without| Zone { name: name.into(), shapes: vec![disc(x)], without };
        let zones = [zone("left", -0.5, vec![]), zone("right", 0.5, vec![disc(0.6)])];
        parse(formula, &zones, 0.0, 1.0).unwrap().cost((1.0, 0.75), 9)
    }

    #[test]
    fn operations_are_counted_where_they_are_computed() {
        let last = cost("last(n(left)) / N");
        assert_eq!((last.regions, last.per_robot, last.per_world, last.at_the_end), (1, 1, 0, 4));
        let mean = cost("mean(n(left) + n(right))");
        assert_eq!((mean.regions, mean.per_robot, mean.per_world, mean.at_the_end), (2, 5, 4, 1));
        assert_eq!(cost("mean(nearest())").per_robot, 8, "distances to the eight other robots");
        assert_eq!(cost("last(visited(0.1))").per_robot, 1);
    }

    #[test]
    fn fields_are_named_with_their_points_and_rate() {
        let fields = cost("mean(distance(left, 2)) + last(covered(right, 0.2))").fields;
        assert_eq!(fields.iter().map(|field| field.every_second).collect::<Vec<_>>(), [true, false]);
        assert!(fields[0].words.contains("left") && (100..130).contains(&fields[0].points), "{fields:?}");
    }
}
