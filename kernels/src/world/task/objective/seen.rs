//! Poses that an objective's score sees: headings of the robots and places of the discs, and the relocation of a disc.

use super::score::ObjectiveScore;
use crate::math::Vec2;
use crate::random::Draws;
use crate::world::task::transport::put_back;
use crate::world::{Body, Pose};

impl ObjectiveScore {
    /// Sets the start poses of the robots, then the discs.
    pub fn starting_at(mut self, poses: impl Iterator<Item = Pose>) -> ObjectiveScore {
        self.see(poses);
        self.start();
        self
    }

    /// Records the poses of the robots, then the discs, before an update. All bodies must be seen.
    pub fn see(&mut self, mut poses: impl Iterator<Item = Pose>) {
        let (headings, discs) = (self.objective().reads_headings(), self.objective().reads_discs());
        if !(headings || discs) {
            return;
        }
        let robots = poses.by_ref().take(self.robots).map(|pose| Some(pose.heading));
        if headings {
            self.see_headings(robots);
        } else {
            robots.for_each(drop);
        }
        for (disc, pose) in poses.enumerate() {
            self.see_disc(disc, pose.at, true);
        }
    }

    /// Records the headings of the robots (rad) before an update; `None` for robots that are not seen.
    pub fn see_headings(&mut self, headings: impl Iterator<Item = Option<f32>>) {
        if !self.ended() && self.objective().reads_headings() {
            self.bodies.headings.clear();
            self.bodies.headings.extend(headings);
        }
    }

    /// Records the place of a disc (m). `counts` states whether the displacement since the last place counts. It does
    /// not count in a pause, in which a person may move the disc.
    pub fn see_disc(&mut self, disc: usize, at: Vec2, counts: bool) {
        if !self.ended() && self.objective().reads_discs() {
            self.bodies.see_disc(disc, at, counts);
        }
    }

    /// Records that a disc is not seen. It keeps its place, and the displacement up to its next place does not count.
    pub fn lose_disc(&mut self, disc: usize) {
        self.bodies.lose_disc(disc);
    }

    /// Moves the first disc, which has the index `index` in `bodies`, to a random free position near the centre, and
    /// stops it. The displacement up to now counts, the relocation does not.
    pub fn relocate(&mut self, bodies: &mut [Body], index: usize, draws: &mut Draws) {
        self.see_disc(0, bodies[index].pose.at, true);
        put_back(bodies, index, draws);
        self.see_disc(0, bodies[index].pose.at, false);
        self.bodies.relocations += 1;
    }

    /// Number of relocations of the first disc.
    pub fn relocations(&self) -> u32 {
        self.bodies.relocations
    }
}

#[cfg(test)]
mod tests {
    use super::super::parse;
    use super::*;
    use crate::math::vec2;

    fn score(formula: &str) -> ObjectiveScore {
        let objective = parse(formula, &[], 0.0, 1.0).unwrap();
        ObjectiveScore::new(objective.into(), (1.0, 0.75), 2, std::iter::empty(), (1, 0))
    }

    fn see(score: &mut ObjectiveScore, at: Vec2) {
        let robot = |heading| Pose { at: Vec2::ZERO, heading };
        score.see([robot(0.0), robot(std::f32::consts::FRAC_PI_2), Pose { at, heading: 0.0 }].into_iter());
        score.update(&[Vec2::ZERO; 2]);
    }

    #[test]
    fn displacement_of_disc_excludes_gaps_and_pauses() {
        let mut x = score("last(disc_moved_x(1)) + 100 * last(disc_x(1))");
        assert_eq!(x.value(1.0), 0.0, "the disc was never seen");
        see(&mut x, vec2(0.1, 0.0));
        see(&mut x, vec2(0.2, 0.0));
        assert!((x.value(1.0) - 20.1).abs() < 1e-5, "{}", x.value(1.0));
        x.lose_disc(0);
        assert!((x.value(1.0) - 20.1).abs() < 1e-5, "the last value stays");
        see(&mut x, vec2(0.5, 0.0));
        x.see_disc(0, vec2(0.7, 0.0), false);
        see(&mut x, vec2(0.8, 0.0));
        let mut x: ObjectiveScore = serde_json::from_str(&serde_json::to_string(&x).unwrap()).unwrap();
        see(&mut x, vec2(0.9, 0.0));
        assert!((x.value(1.0) - 90.3).abs() < 1e-4, "{}", x.value(1.0));
    }

    #[test]
    fn discs_and_headings_have_quantities() {
        let value = |formula: &str| {
            let mut score = score(formula);
            see(&mut score, vec2(0.1, 0.2));
            see(&mut score, vec2(0.4, -0.2));
            score.value(1.0)
        };
        for (formula, expected) in [
            ("last(disc_y(1))", -0.2),
            ("last(disc_moved_y(1))", -0.4),
            ("last(disc_moved(1))", 0.5),
            ("last(disc_x(2))", 0.0),
            ("last(discs(arena))", 1.0),
            ("first(disc_x(1) > 0.3)", 0.2),
            ("mean(alignment())", std::f32::consts::FRAC_1_SQRT_2),
        ] {
            assert!((value(formula) - expected).abs() < 1e-6, "{formula}: {}", value(formula));
        }
    }

    #[test]
    fn scores_without_discs_and_headings_are_readable() {
        let score = score("last(n(arena))");
        let mut json = serde_json::to_value(&score).unwrap();
        json.as_object_mut().unwrap().remove("bodies").unwrap();
        json["objective"].as_object_mut().unwrap().remove("relocates").unwrap();
        let read: ObjectiveScore = serde_json::from_value(json).unwrap();
        assert_eq!(serde_json::to_value(read).unwrap(), serde_json::to_value(score).unwrap());
    }

    #[test]
    fn ended_run_keeps_its_disc() {
        let mut objective = super::super::ObjectiveBuilder::new(&[], Vec::new());
        objective.end("disc_x(1) > 0.3").unwrap();
        let objective = objective.finish("last(disc_x(1))", 0.0, 1.0).unwrap();
        let mut score = ObjectiveScore::new(objective.into(), (1.0, 0.75), 2, std::iter::empty(), (1, 0));
        for x in [0.2, 0.4, 0.6] {
            see(&mut score, vec2(x, 0.0));
        }
        assert_eq!((score.value(1.0), score.ended()), (0.4, true));
    }
}
