//! Boxes of a world file: obstacles of four walls.

use super::Place;
use schemars::JsonSchema;
use serde::Deserialize;
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::world::wall::Wall;
use xpuck_kernels::world::zone::ZoneShape;

/// Box inside the arena.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct BoxEntry {
    /// Centre: x and y (m).
    at_m: Place,
    /// Sizes along its own x and y axis (m), 0.02 to 20 each.
    size_m: [f32; 2],
    /// Direction of its own x axis (deg, counter-clockwise from +x), -360 to 360.
    #[serde(default)]
    heading_deg: f32,
    /// Condition under which the box exists: a formula of lots, latches and quantities. Default: always.
    pub(super) when: Option<String>,
}

impl BoxEntry {
    /// Returns the corners of box `number`, counter-clockwise (m).
    pub(super) fn corners(&self, number: usize) -> Result<[Vec2; 4], String> {
        let check = |name: &str, value: f32, range: std::ops::RangeInclusive<f32>| match range.contains(&value) {
            true => Ok(()),
            false => Err(format!("box {number}: {name} = {value} is outside {} to {}", range.start(), range.end())),
        };
        self.at_m.iter().try_for_each(|value| check("at_m", *value, -10.0..=10.0))?;
        self.size_m.iter().try_for_each(|value| check("size_m", *value, 0.02..=20.0))?;
        check("heading_deg", self.heading_deg, -360.0..=360.0)?;
        Ok(self.rectangle(0.0))
    }

    /// Returns the places where a robot of this radius (m) would touch the box or be in it.
    pub(super) fn around(&self, radius: f32) -> ZoneShape {
        ZoneShape::Polygon(self.rectangle(radius).to_vec())
    }

    /// Returns the corners of the box with a margin on all sides (m).
    fn rectangle(&self, margin: f32) -> [Vec2; 4] {
        let [x, y] = self.size_m.map(|size| 0.5 * size + margin);
        let (centre, ahead) = (vec2(self.at_m[0], self.at_m[1]), Vec2::unit(self.heading_deg.to_radians()));
        [vec2(-x, -y), vec2(x, -y), vec2(x, y), vec2(-x, y)].map(|corner| centre + corner.rotate(ahead))
    }
}

/// Returns the walls of a box.
pub(super) fn sides(corners: &[Vec2; 4]) -> [Wall; 4] {
    std::array::from_fn(|i| Wall { from: corners[i], to: corners[(i + 1) % 4] })
}

/// Returns an error if a box reaches beyond the arena.
pub(super) fn inside(boxes: &[[Vec2; 4]], (x, y): (f32, f32)) -> Result<(), String> {
    let beyond = |corner: &Vec2| corner.x.abs() > x || corner.y.abs() > y;
    match (1..).zip(boxes).find_map(|(number, corners)| Some((number, corners.iter().find(|corner| beyond(corner))?))) {
        Some((number, corner)) => {
            Err(format!("box {number}: its corner ({:.3}, {:.3}) is outside of the arena", corner.x, corner.y))
        }
        None => Ok(()),
    }
}

/// Returns the conditions of walls and then of the sides of boxes. Each argument is the number of parts, and their
/// conditions or an empty list.
pub(super) fn conditions(walls: (usize, Vec<Option<u8>>), boxes: (usize, Vec<Option<u8>>)) -> Vec<Option<u8>> {
    if walls.1.is_empty() && boxes.1.is_empty() {
        return Vec::new();
    }
    let padded = |(count, mut conditions): (usize, Vec<Option<u8>>)| {
        conditions.resize(count, None);
        conditions
    };
    let sides = padded(boxes).into_iter().flat_map(|condition| [condition; 4]);
    padded(walls).into_iter().chain(sides).collect()
}

#[cfg(test)]
mod tests {
    use crate::world_file;
    use xpuck_kernels::math::vec2;
    use xpuck_kernels::random::{Draws, Stream};
    use xpuck_kernels::world::start::place;
    use xpuck_kernels::world::{World, WorldSpec};

    /// Returns a world of twelve robots with some more lines.
    fn world(lines: &str) -> Result<WorldSpec, String> {
        let text = format!(
            "robots = 12\n[task]\nkind = \"objective\"\nscore = \"mean(n(arena))\"\nworst = 0\nbest = 12\n\
             [[start]]\nx_m = [-0.7, 0.7]\ny_m = [-0.5, 0.5]\n{lines}"
        );
        world_file::parse("w", &text).map_err(|error| error.to_string())
    }

    #[test]
    fn box_is_four_walls_and_no_robot_starts_in_it() {
        let spec = world("[[box]]\nat_m = [0.1, 0.0]\nsize_m = [0.8, 0.4]\nheading_deg = 90\n").unwrap();
        let walls: Vec<[f32; 4]> = spec
            .physics
            .walls
            .iter()
            .map(|w| [w.from.x, w.from.y, w.to.x, w.to.y].map(|c| (c * 1e4).round() / 1e4))
            .collect();
        let expected = [[0.3, -0.4, 0.3, 0.4], [0.3, 0.4, -0.1, 0.4], [-0.1, 0.4, -0.1, -0.4], [-0.1, -0.4, 0.3, -0.4]];
        assert_eq!(walls, expected);
        for run in 0..20 {
            let bodies = place(&spec, 0, (1, run), &mut Draws::new(1, run, 0, 0, Stream::Start));
            for at in bodies.iter().map(|body| body.pose.at - vec2(0.1, 0.0)) {
                assert!(at.x.abs() > 0.237 || at.y.abs() > 0.437, "run {run}: {at:?}");
            }
        }
    }

    #[test]
    fn box_with_a_condition_vanishes_as_a_whole() {
        let latch = "[[latch]]\nname = \"open\"\nwhen = \"time >= 0.2\"\n";
        let wall = "[[wall]]\nfrom_m = [0.8, 0.0]\nto_m = [0.9, 0.0]\n";
        let boxed = "[[box]]\nat_m = [0.0, 0.0]\nsize_m = [0.2, 0.2]\nwhen = \"not open\"\n";
        let spec = world(&format!("{latch}{wall}{boxed}")).unwrap();
        let mut world = World::new(&spec, 0, 1, 0);
        let mut counts = Vec::new();
        for _ in 0..4 {
            counts.push(world.physics.walls.len());
            world.update_with_wheels(|_, _, _| [0.0; 2]);
        }
        assert_eq!(counts, [5, 5, 1, 1]);
    }

    #[test]
    fn malformed_boxes_are_rejected() {
        for (lines, expected) in [
            ("[[box]]\nat_m = [0.0, 0.0]\n", "size_m"),
            ("[[box]]\nat_m = [0.0, 0.0]\nsize_m = [0.2, 0.0]\n", "box 1: size_m = 0 is outside 0.02 to 20"),
            ("[[box]]\nat_m = [nan, 0.0]\nsize_m = [0.2, 0.1]\n", "box 1: at_m = NaN is outside -10 to 10"),
            (
                "[[box]]\nat_m = [0.9, 0.0]\nsize_m = [0.4, 0.1]\n",
                "box 1: its corner (1.100, -0.050) is outside of the arena",
            ),
            ("[[box]]\nat_m = [0.0, 0.0]\nsize_m = [0.2, 0.2]\nangle = 3\n", "angle"),
            ("[[box]]\nat_m = [0.0, 0.0]\nsize_m = [1.9, 1.4]\n", "start"),
            (&"[[box]]\nat_m = [0.0, 0.0]\nsize_m = [0.1, 0.1]\n".repeat(9), "36 inner walls"),
        ] {
            let error = world(lines).unwrap_err();
            assert!(error.contains(expected) && error.lines().count() == 1, "{expected}: {error}");
        }
        let inside = "robots = 1\n[task]\nkind = \"coverage\"\ncell_m = 0.1\n[[start]]\npose = [{ at_m = [0, 0] }]\n[[box]]\n\
                      at_m = [0.0, 0.0]\nsize_m = [0.5, 0.5]\n";
        let error = world_file::parse("w", inside).unwrap_err().to_string();
        assert!(error.contains("start 1, robot 1: is in a box"), "{error}");
    }
}
