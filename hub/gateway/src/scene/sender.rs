//! Determines which data of a scene to send: the whole scene or only its changes.

use super::{Change, Field, Matrix, Node};

/// Threshold for sending a transform again: the change of a matrix element since the last transmission. Slow motion
/// is therefore sent late, but never lost (as in SimSpark).
const THRESHOLD: f64 = 0.005;

/// Scene and fields that all viewers of a stream have. All viewers share one state, so that each change is determined
/// and formatted once. A new viewer receives the scene in this state, so that the next change also applies to it.
#[derive(Clone, Debug, Default)]
pub struct Sender {
    told: Option<Vec<Node>>,
    fields: Vec<Field>,
}

/// Data of a scene to send.
#[derive(Clone, Debug, PartialEq)]
pub enum Update {
    /// Whole scene, because it is the first transmission or because the set of nodes has changed.
    Full,
    /// Changes of the scene, one for each root node.
    Changes(Vec<Change>),
}

impl Sender {
    /// Compares the current scene with the transmitted state. Returns the data to send.
    pub fn update(&mut self, scene: &[Node]) -> Update {
        match &mut self.told {
            Some(told) if alike(told, scene) => Update::Changes(changes(told, scene)),
            told => {
                *told = Some(scene.to_vec());
                Update::Full
            }
        }
    }

    /// Returns the scene that the viewers have; `None` before the first update.
    pub fn sent_scene(&self) -> Option<&[Node]> {
        self.told.as_deref()
    }

    /// Returns the fields whose values have changed, and always the field `always`.
    pub fn changed_fields(&mut self, fields: &[Field], always: &str) -> Vec<Field> {
        let new = |field: &&Field| field.0 == always || !self.fields.contains(field);
        let changed = fields.iter().filter(new).cloned().collect();
        self.fields = fields.to_vec();
        changed
    }
}

/// Returns whether two scenes have the same nodes and differ only in properties that a [`Change`] can express.
fn alike(one: &[Node], two: &[Node]) -> bool {
    one.len() == two.len()
        && one.iter().zip(two).all(|pair| match pair {
            (Node::Transform(_, one), Node::Transform(_, two)) | (Node::Group(one), Node::Group(two)) => {
                alike(one, two)
            }
            (Node::Subject(a, one), Node::Subject(b, two)) => a == b && alike(one, two),
            (Node::Mesh(one), Node::Mesh(two)) => {
                one.model == two.model
                    && one.scale == two.scale
                    && one.transparent == two.transparent
                    && one.materials == two.materials
            }
            (Node::Shape(one), Node::Shape(two)) => {
                one.form == two.form
                    && one.scale == two.scale
                    && one.transparent == two.transparent
                    && one.look == two.look
            }
            (Node::Light(one), Node::Light(two)) => one == two,
            _ => false,
        })
}

/// Returns the changes since the last transmission, and records them as sent.
fn changes(told: &mut [Node], now: &[Node]) -> Vec<Change> {
    told.iter_mut().zip(now).map(|(told, now)| change(told, now)).collect()
}

fn change(told: &mut Node, now: &Node) -> Change {
    let mut change = Change::default();
    match (told, now) {
        (Node::Transform(old, below), Node::Transform(new, children)) => {
            if moved(old, new) {
                *old = *new;
                change.matrix = Some(*new);
            }
            change.children = changes(below, children);
        }
        (Node::Group(below), Node::Group(children)) | (Node::Subject(_, below), Node::Subject(_, children)) => {
            change.children = changes(below, children);
        }
        (Node::Mesh(old), Node::Mesh(new)) => change.visible = seen(&mut old.visible, new.visible),
        (Node::Shape(old), Node::Shape(new)) => change.visible = seen(&mut old.visible, new.visible),
        _ => {}
    }
    change
}

fn moved(old: &Matrix, new: &Matrix) -> bool {
    old.iter().zip(new).any(|(old, new)| (old - new).abs() > THRESHOLD)
}

fn seen(old: &mut bool, new: bool) -> Option<bool> {
    (std::mem::replace(old, new) != new).then_some(new)
}

#[cfg(test)]
mod tests {
    use super::super::{Look, Shape, ShapeKind, StandardShape, pose_matrix};
    use super::*;

    fn robot(x: f64, visible: bool) -> Node {
        let form = ShapeKind::Standard(StandardShape::Cylinder, vec![1.0, 1.0]);
        let look = Look::Material("matBlue".into());
        let shape = Shape { form, scale: [0.037, 0.037, 0.05], visible, transparent: false, look };
        Node::Transform(pose_matrix([x, 0.0, 0.0], 0.0), vec![Node::Shape(shape)])
    }

    #[test]
    fn small_moves_are_deferred_and_new_nodes_sent_in_full() {
        let mut sender = Sender::default();
        assert_eq!(sender.update(&[robot(0.0, true)]), Update::Full);
        let mut sent = Vec::new();
        for i in 1..=10 {
            let Update::Changes(changes) = sender.update(&[robot(0.002 * f64::from(i), true)]) else { panic!("alike") };
            sent.extend(changes[0].matrix.map(|matrix| matrix[12]));
        }
        assert!(sent.len() == 3 && (sent[2] - 0.018).abs() < 1e-9, "{sent:?}");
        let Update::Changes(changes) = sender.update(&[robot(0.02, false)]) else { panic!("alike") };
        assert_eq!((changes[0].matrix, changes[0].children[0].visible), (None, Some(false)));
        let mut seen = vec![robot(sent[2], true)];
        assert!(super::super::apply(&mut seen, &changes) && seen == sender.sent_scene().unwrap());
        assert_eq!(sender.update(&[robot(0.02, false), robot(1.0, true)]), Update::Full);
    }

    #[test]
    fn fields_are_sent_on_change_and_time_always() {
        let field = |name: &str, value: &str| (name.to_string(), vec![value.to_string()]);
        let mut sender = Sender::default();
        let mut names = |time: &str, half: &str| {
            let changed = sender.changed_fields(&[field("time", time), field("half", half)], "time");
            changed.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(names("0", "1"), ["time", "half"]);
        assert_eq!(names("0", "1"), ["time"]);
        assert_eq!(names("0.04", "2"), ["time", "half"]);
    }
}
