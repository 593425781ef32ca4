//! Selection of the senses that are computed. Senses that no tree reads are skipped.

use crate::tree::Program;
use crate::tree::registers::{ATTR, BLUE, GROUND, LIGHT, NEIGHBOURS, PROX, RED, TAG};

/// Set of senses with a computational cost. The compass is not included, because it is always computed from the
/// heading.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Sensing {
    /// Whether the set contains the eight proximity rays.
    pub proximity: bool,
    /// Whether the set contains the three-segment camera.
    pub camera: bool,
    /// Whether the set contains range and bearing of neighbours.
    pub neighbours: bool,
    /// Whether the set contains ambient light.
    pub light: bool,
    /// Whether the set contains tags in the camera image.
    pub tags: bool,
    /// Whether the set contains the ground sensor.
    pub ground: bool,
}

impl Sensing {
    /// Set of all senses.
    pub const ALL: Sensing =
        Sensing { proximity: true, camera: true, neighbours: true, light: true, tags: true, ground: true };
    /// Set of the proximity rays only.
    pub const PROXIMITY: Sensing = Sensing { proximity: true, ..Sensing::NONE };
    /// Empty set.
    pub const NONE: Sensing =
        Sensing { proximity: false, camera: false, neighbours: false, light: false, tags: false, ground: false };

    /// Returns the union of two sets.
    pub fn union(self, other: Sensing) -> Sensing {
        Sensing {
            proximity: self.proximity | other.proximity,
            camera: self.camera | other.camera,
            neighbours: self.neighbours | other.neighbours,
            light: self.light | other.light,
            tags: self.tags | other.tags,
            ground: self.ground | other.ground,
        }
    }

    /// Returns the senses in both sets.
    pub fn intersection(self, other: Sensing) -> Sensing {
        Sensing {
            proximity: self.proximity & other.proximity,
            camera: self.camera & other.camera,
            neighbours: self.neighbours & other.neighbours,
            light: self.light & other.light,
            tags: self.tags & other.tags,
            ground: self.ground & other.ground,
        }
    }

    /// Returns the senses that at least one of these programs may read.
    pub fn from_programs<'a>(programs: impl IntoIterator<Item = &'a Program>) -> Sensing {
        let cells = programs.into_iter().map(Program::register_reads).fold(0, |all, cells| all | cells);
        let reads = |first: usize, last: usize| cells >> first & ((2 << (last - first)) - 1) != 0;
        Sensing {
            proximity: reads(PROX, PROX + 1),
            camera: reads(RED, BLUE + 1),
            neighbours: reads(ATTR, ATTR + 1) || reads(NEIGHBOURS, NEIGHBOURS),
            light: reads(LIGHT, LIGHT + 1),
            tags: reads(TAG, TAG + 1),
            ground: reads(GROUND, GROUND),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tree::Tree;

    #[test]
    fn trees_need_the_senses_they_read() {
        let of = |text: &str| Sensing::from_programs([&Program::compile(&Tree::parse(text).unwrap()).unwrap()]);
        let [proximity, camera, neighbours, light, tags, ground] = [true; 6];
        assert_eq!(of("movcv v_goal 0deg"), Sensing::NONE);
        assert_eq!(of("avoiding"), Sensing::PROXIMITY);
        assert_eq!(of("bfront"), Sensing { camera, ..Sensing::NONE });
        assert_eq!(of("mulas s_scr v_blue.y 2 v_up.x"), Sensing { camera, ..Sensing::NONE });
        assert_eq!(of("ifprob s_n 1 2"), Sensing { neighbours, ..Sensing::NONE });
        assert_eq!(of("attract 2"), Sensing { neighbours, proximity, ..Sensing::NONE });
        assert_eq!(of("ifsect s_scr 0 20"), Sensing { neighbours, ..Sensing::NONE }, "the pair (s_n, s_scr)");
        assert_eq!(of("mulas s_scr v_light.x 2 v_up.x"), Sensing { light, ..Sensing::NONE });
        assert_eq!(of("ifquad v_tag 0"), Sensing { tags, ..Sensing::NONE });
        assert_eq!(of("ifprob s_ground 1 0"), Sensing { ground, ..Sensing::NONE });
        assert_eq!(of("ifsect s_ground 0deg 20deg"), Sensing { ground, ..Sensing::NONE });
    }
}
