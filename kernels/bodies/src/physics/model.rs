//! A body as the physics sees it: links that turn against each other, each of cubes that are rigidly joined.

use super::vector::V3;
use crate::Plan;

/// Cubes that move as one, and the joint to the link that they hang from.
pub(super) struct Link {
    /// The link that it hangs from; its own number for the first one.
    pub parent: usize,
    /// Which axis of the parent's frame the joint turns about.
    pub axis: usize,
    /// Where the joint is in the parent's frame; the link's own frame lies there, the first one's in the root's centre.
    pub joint: V3,
}

/// A cube of a part.
pub(super) struct Cube {
    pub link: usize,
    /// Its centre in the link's frame.
    pub centre: V3,
}

/// The tree of links. Degrees of freedom are numbered: 0 to 2 the first link's turning, 3 to 5 the motion of the root's
/// centre, `5 + k` the joint of link `k`.
pub(super) struct Model {
    pub links: Vec<Link>,
    /// One for each part.
    pub cubes: Vec<Cube>,
    /// For each degree of freedom those that it hangs from, from the first on.
    pub ancestors: Vec<Vec<usize>>,
    /// The link whose joint a part's motor turns; none for rigid joints and the root.
    pub motors: Vec<Option<usize>>,
}

impl Model {
    pub fn new(plan: &Plan) -> Model {
        let mut model = Model { links: Vec::new(), cubes: Vec::new(), ancestors: base_ancestors(), motors: Vec::new() };
        for part in plan.parts() {
            let step = part.direction.vector().map(f64::from);
            let half = step.map(|x| x / 2.0);
            let Some(parent) = part.parent else {
                model.links.push(Link { parent: 0, axis: 0, joint: [0.0; 3] });
                model.cubes.push(Cube { link: 0, centre: [0.0; 3] });
                model.motors.push(None);
                continue;
            };
            let from = &model.cubes[parent];
            let (link, side) = (from.link, [0, 1, 2].map(|k| from.centre[k] + half[k]));
            if part.part.turns() {
                let number = model.links.len();
                model.links.push(Link { parent: link, axis: part.axis.index(), joint: side });
                let parent_freedom = link + 5;
                let mut ancestors = model.ancestors[parent_freedom].clone();
                ancestors.push(parent_freedom);
                model.ancestors.push(ancestors);
                model.cubes.push(Cube { link: number, centre: half });
                model.motors.push(Some(number));
            } else {
                model.cubes.push(Cube { link, centre: [0, 1, 2].map(|k| side[k] + half[k]) });
                model.motors.push(None);
            }
        }
        model
    }

    pub fn freedoms(&self) -> usize {
        self.links.len() + 5
    }
}

/// The six of the first link as if each hung from those before it.
fn base_ancestors() -> Vec<Vec<usize>> {
    (0..6).map(|k| (0..k).collect()).collect()
}
