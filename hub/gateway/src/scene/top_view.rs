//! Top view of a scene: outlines of drawn shapes, and poses of the robots and the ball. It accepts scenes of any
//! server in both protocols. It identifies robots in the same way as viewers do.

use super::{Look, Matrix, Mesh, Node, Shape, ShapeKind, StandardShape, Subject, materials};

/// Maximum number of outlines, and of robots and balls, in a top view. Servers are not trusted to send fewer.
const MOST: usize = 10_000;

/// Limit for the magnitude of a body's coordinates (m). Bodies with a larger or NaN coordinate are omitted.
const FARTHEST: f64 = 1e6;

/// Outline of a shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Outline {
    /// Kind of the outline, with its dimensions.
    pub kind: OutlineKind,
    /// Height of the shape's centre (m). Higher outlines cover lower ones.
    pub height: f64,
    /// Red, green and blue components, each 0 to 1.
    pub colour: [f64; 3],
}

/// Kind of outline.
#[derive(Clone, Debug, PartialEq)]
pub enum OutlineKind {
    /// Polygon with the given corners in order (m).
    Polygon(Vec<[f64; 2]>),
    /// Circle with a centre and a radius (m).
    Circle([f64; 2], f64),
}

/// Pose of a robot or of the ball.
#[derive(Clone, Debug, PartialEq)]
pub struct Placed {
    /// Robot or ball.
    pub who: Subject,
    /// Centre of the body (m).
    pub at: [f64; 3],
    /// Heading, counter-clockwise from +x (rad).
    pub heading: f64,
    /// Whether any part of the body is drawn.
    pub visible: bool,
}

/// Top view of a scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TopView {
    /// Outlines in order of increasing height.
    pub outlines: Vec<Outline>,
    /// Poses of the robots and the ball, in the order of the scene.
    pub placed: Vec<Placed>,
}

impl TopView {
    /// Creates the top view of a scene.
    pub fn from_scene(scene: &[Node]) -> TopView {
        let mut above = TopView::default();
        for node in scene {
            above.add(node, &IDENTITY);
            above.find(node, &IDENTITY);
        }
        above.outlines.sort_by(|a, b| a.height.total_cmp(&b.height));
        above
    }

    fn add(&mut self, node: &Node, from: &Matrix) {
        let here = match node {
            Node::Transform(matrix, _) => times(from, matrix),
            _ => *from,
        };
        if let Node::Shape(shape) = node
            && shape.visible
            && self.outlines.len() < MOST
        {
            self.outlines.extend(outline(shape, &here));
        }
        node.children().iter().for_each(|child| self.add(child, &here));
    }

    /// Finds robots and the ball. In RSMP, a node identifies them, and the first transform below this node is the
    /// body. In SimSpark, a robot is identified by its materials, and the ball by its model.
    fn find(&mut self, node: &Node, from: &Matrix) {
        let here = match node {
            Node::Transform(matrix, _) => times(from, matrix),
            _ => *from,
        };
        let found = match node {
            Node::Subject(who, children) => {
                let body = children.iter().find_map(|child| match child {
                    Node::Transform(matrix, _) => Some(times(from, matrix)),
                    _ => None,
                });
                Some((who.clone(), body.unwrap_or(here)))
            }
            Node::Mesh(mesh) => shown(mesh).map(|who| (who, here)),
            _ => None,
        };
        match found {
            Some((who, body)) if self.placed.len() < MOST && body[12..15].iter().all(|x| x.abs() < FARTHEST) => {
                let at = [body[12], body[13], body[14]];
                self.placed.push(Placed { who, at, heading: body[1].atan2(body[0]), visible: is_visible(node) });
            }
            Some(_) => {}
            None => node.children().iter().for_each(|child| self.find(child, &here)),
        }
    }
}

const IDENTITY: Matrix = [1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0];

/// Returns the matrix product a b: the transform that applies `b` first and then `a`.
fn times(a: &Matrix, b: &Matrix) -> Matrix {
    let mut product = [0.0; 16];
    for (i, number) in product.iter_mut().enumerate() {
        let (column, row) = (i / 4, i % 4);
        *number = (0..4).map(|k| a[4 * k + row] * b[4 * column + k]).sum();
    }
    product
}

fn place(m: &Matrix, [x, y, z]: [f64; 3]) -> [f64; 2] {
    [m[0] * x + m[4] * y + m[8] * z + m[12], m[1] * x + m[5] * y + m[9] * z + m[13]]
}

fn outline(shape: &Shape, here: &Matrix) -> Option<Outline> {
    let [x, y, z] = shape.scale;
    let kind = match &shape.form {
        ShapeKind::Standard(StandardShape::Box, _) => {
            OutlineKind::Polygon(box_corners([x / 2.0, y / 2.0, z / 2.0], here))
        }
        ShapeKind::Standard(StandardShape::Sphere, _) => OutlineKind::Circle(place(here, [0.0; 3]), x),
        ShapeKind::Standard(StandardShape::Cylinder | StandardShape::Capsule, numbers) => {
            // Some servers send the radius and the length as `numbers`, with a scale of 1. Other servers send them as
            // the scale, with 1 for each of the `numbers`.
            let (radius, length) =
                (numbers.first().copied().unwrap_or(1.0) * x, numbers.get(1).copied().unwrap_or(1.0) * z);
            if here[10].abs() > 0.7 {
                OutlineKind::Circle(place(here, [0.0; 3]), radius)
            } else {
                OutlineKind::Polygon(box_corners([radius, radius, length / 2.0], here))
            }
        }
        // Only viewers have the model's file, which contains its size.
        ShapeKind::Model(_) => return None,
    };
    let finite = match &kind {
        OutlineKind::Circle([x, y], radius) => x.is_finite() && y.is_finite() && radius.is_finite(),
        OutlineKind::Polygon(corners) => corners.iter().flatten().all(|number| number.is_finite()),
    };
    finite.then(|| Outline { kind, height: here[14], colour: colour(&shape.look) })
}

/// Returns the convex outline of a box as seen from above. `x`, `y` and `z` are half of its edges (m).
fn box_corners([x, y, z]: [f64; 3], here: &Matrix) -> Vec<[f64; 2]> {
    let signs = [-1.0, 1.0];
    let mut corners: Vec<[f64; 2]> = Vec::with_capacity(8);
    for i in signs {
        for j in signs {
            corners.extend(signs.map(|k| place(here, [i * x, j * y, k * z])));
        }
    }
    hull(corners)
}

/// Returns the convex hull of points, counter-clockwise (Andrew's monotone chain).
fn hull(mut points: Vec<[f64; 2]>) -> Vec<[f64; 2]> {
    points.sort_by(|a, b| a[0].total_cmp(&b[0]).then(a[1].total_cmp(&b[1])));
    let turn = |a: [f64; 2], b: [f64; 2], c: [f64; 2]| (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
    let half = |points: &mut dyn Iterator<Item = [f64; 2]>| {
        let mut chain: Vec<[f64; 2]> = Vec::new();
        for point in points {
            while chain.len() > 1 && turn(chain[chain.len() - 2], chain[chain.len() - 1], point) <= 0.0 {
                chain.pop();
            }
            chain.push(point);
        }
        chain.pop();
        chain
    };
    let mut lower = half(&mut points.iter().copied());
    lower.extend(half(&mut points.iter().rev().copied()));
    lower
}

fn colour(look: &Look) -> [f64; 3] {
    match look {
        Look::Colour([red, green, blue, _]) => [*red, *green, *blue].map(|part| part.clamp(0.0, 1.0)),
        Look::Material(name) => materials::colour(name),
    }
}

/// Returns the robot or ball that a SimSpark mesh represents. A robot has the materials `matNumN` and `matLeft` or
/// `matRight`; the ball has the model of a ball.
fn shown(mesh: &Mesh) -> Option<Subject> {
    if mesh.model.ends_with("soccerball.obj") {
        return Some(Subject::Ball);
    }
    let number = mesh.materials.iter().find_map(|name| name.strip_prefix("matNum")?.parse().ok())?;
    let team = mesh.materials.iter().find(|name| matches!(name.as_str(), "matLeft" | "matRight"))?;
    Some(Subject::Agent(team.trim_start_matches("mat").to_lowercase(), number))
}

fn is_visible(node: &Node) -> bool {
    node.visible().unwrap_or(false) || node.children().iter().any(is_visible)
}

#[cfg(test)]
mod tests {
    use super::super::arena::{Arena, Disc, Robot, scene};
    use super::super::{Graph, rsmp, simspark};
    use super::*;

    fn arena() -> Arena {
        let robot = |number, x: f64| Robot {
            number,
            at: [x, 0.25],
            heading: x,
            radius: 0.0375,
            colour: [0.0, 0.0, 1.0, 1.0],
            seen: number != 2,
        };
        let disc = Disc { at: [0.5, -0.25], radius: 0.105, colour: [1.0, 0.5, 0.0, 1.0] };
        Arena {
            half: [1.0, 0.75],
            robots: vec![robot(1, 0.5), robot(2, -0.5), robot(12, 0.0)],
            discs: vec![disc],
            ..Arena::default()
        }
    }

    #[test]
    fn both_protocols_tell_who_is_where_and_how_it_looks() {
        let scene = scene(&arena());
        let texts = [simspark::full(&[], &scene), rsmp::full(0.0, &[], &[], &scene)];
        let read = [simspark::read(texts[0].as_bytes()).unwrap().graph, rsmp::read(texts[1].as_bytes()).unwrap().graph];
        let teams = [["left", "right"], ["Xpuck", "Xpuck2"]];
        for (graph, [left, right]) in read.into_iter().zip(teams) {
            let Graph::Full(nodes) = graph else { panic!("a full scene") };
            let above = TopView::from_scene(&nodes);
            let who: Vec<_> = above.placed.iter().map(|one| one.who.clone()).collect();
            let agent = |team: &str, number| Subject::Agent(team.into(), number);
            assert_eq!(who, [Subject::Ball, agent(left, 1), agent(left, 2), agent(right, 1)]);
            let first = &above.placed[1];
            assert!((first.at[0] - 0.5).abs() < 1e-4 && (first.heading - 0.5).abs() < 1e-4 && first.visible);
            assert!(!above.placed[2].visible, "it is not seen");
            let blue = |outline: &&Outline| outline.colour == [0.0, 0.0, 1.0];
            let circles = above.outlines.iter().filter(blue).map(|outline| &outline.kind).collect::<Vec<_>>();
            assert_eq!(circles.len(), 2, "{circles:?}");
            let OutlineKind::Circle([x, y], radius) = circles[0] else { panic!("a cylinder is a circle") };
            assert!((x - 0.5).abs() < 1e-4 && (y - 0.25).abs() < 1e-4 && (radius - 0.0375).abs() < 1e-9);
            let OutlineKind::Polygon(floor) = &above.outlines[0].kind else { panic!("the floor is lowest") };
            assert_eq!(floor.len(), 4);
        }
    }

    #[test]
    fn lying_cylinder_becomes_box_and_nan_shape_is_omitted() {
        let shape = |scale| {
            let (form, look) =
                (ShapeKind::Standard(StandardShape::Cylinder, vec![0.1, 2.0]), Look::Material("matRed".into()));
            Node::Shape(Shape { form, scale, visible: true, transparent: false, look })
        };
        // The transform rotates shapes by a quarter turn about x.
        let turned = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, -1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0];
        let above = TopView::from_scene(&[Node::Transform(turned, vec![shape([1.0; 3]), shape([f64::NAN; 3])])]);
        let OutlineKind::Polygon(corners) = &above.outlines[0].kind else { panic!("a box") };
        assert_eq!((above.outlines.len(), corners.len()), (1, 4));
        assert!(corners.iter().any(|corner| (corner[1] - 1.0).abs() < 1e-9 && (corner[0] - 0.1).abs() < 1e-9));
    }
}
