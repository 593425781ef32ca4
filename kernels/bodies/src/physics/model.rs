//! Physical model of a body: links with revolute joints. Each link is a group of rigidly joined cubes.

use super::vector::V3;
use crate::Plan;

/// Group of rigidly joined cubes, and its joint to the parent link.
pub(super) struct Link {
    /// Index of the parent link. The first link has its own index.
    pub parent: usize,
    /// Index of the joint's axis in the parent's frame.
    pub axis: usize,
    /// Position of the joint in the parent's frame (m). The joint is the origin of the link's own frame. The first
    /// link's origin is the root's centre.
    pub joint: V3,
}

/// Cube of a part.
pub(super) struct Cube {
    pub link: usize,
    /// Centre in the link's frame (m).
    pub centre: V3,
}

/// Tree of links. Degrees of freedom 0 to 2 rotate the first link, and 3 to 5 move the root's centre. Degree of
/// freedom 5 + k turns the joint of link k.
pub(super) struct Model {
    pub links: Vec<Link>,
    /// Cubes, one per part.
    pub cubes: Vec<Cube>,
    /// Ancestors of each degree of freedom, starting at the root.
    pub ancestors: Vec<Vec<usize>>,
    /// For each part, the link whose joint the part's motor drives; `None` for rigid joints and the root.
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

/// Returns the ancestors of the first link's six degrees of freedom, which are treated as a chain.
fn base_ancestors() -> Vec<Vec<usize>> {
    (0..6).map(|k| (0..k).collect()).collect()
}
