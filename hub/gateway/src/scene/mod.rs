//! Scene of 3D viewers: a tree of transforms with meshes, shapes and lights as leaves.
//!
//! [`simspark`] and [`rsmp`] write and read scenes; [`sender`] determines the parts to send again. Lengths are in
//! metres; z points up, right-handed.

pub mod arena;
pub mod body;
mod materials;
pub mod numbers;
mod read;
pub mod rsmp;
pub mod sender;
pub mod simspark;
pub mod top_view;

use crate::sexpr::SyntaxError;
use thiserror::Error;

/// Column-major matrix of viewers: the three columns of the rotation, each followed by 0, then the position, followed
/// by 1.
pub type Matrix = [f64; 16];

/// Node of a scene.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// Coordinate frame of its children.
    Transform(Matrix, Vec<Node>),
    /// Node without own content ("base node").
    Group(Vec<Node>),
    /// Robot or ball whose body the children form. RSMP names it, SimSpark identifies it only by materials.
    Subject(Subject, Vec<Node>),
    /// Model that the viewer has as a file.
    Mesh(Mesh),
    /// Shape that every viewer can draw.
    Shape(Shape),
    /// Light: diffuse, ambient and specular colour, each with red, green, blue and opacity, 0 to 1.
    Light([[f64; 4]; 3]),
}

/// Robot or ball.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Ball, which represents the frisbee.
    Ball,
    /// Robot: team and number, from 1.
    Agent(String, u32),
}

/// Model from a file of the viewer.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// File name, such as `models/soccerball.obj`.
    pub model: String,
    /// Scale along x, y, z.
    pub scale: [f64; 3],
    /// Whether the model is drawn.
    pub visible: bool,
    /// Whether the model is drawn after all opaque objects.
    pub transparent: bool,
    /// Names of the model's materials, in the file's order.
    pub materials: Vec<String>,
}

/// Shape with its appearance.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Kind of shape.
    pub form: ShapeKind,
    /// Edges of a box; the radius of a sphere, three times; radius, radius and length of a cylinder (m).
    pub scale: [f64; 3],
    /// Whether the shape is drawn.
    pub visible: bool,
    /// Whether the shape is drawn after all opaque objects.
    pub transparent: bool,
    /// Appearance.
    pub look: Look,
}

/// Kind of shape.
#[derive(Clone, Debug, PartialEq)]
pub enum ShapeKind {
    /// Standard shape of every viewer, with the numbers after its name: radius and length of cylinders and capsules
    /// before scaling, empty for other shapes.
    Standard(StandardShape, Vec<f64>),
    /// File of the viewer; only in RSMP.
    Model(String),
}

impl ShapeKind {
    /// Name in messages.
    pub fn name(&self) -> &str {
        match self {
            ShapeKind::Standard(kind, _) => kind.name(),
            ShapeKind::Model(file) => file,
        }
    }

    /// Numbers after the name of the kind.
    pub fn numbers(&self) -> &[f64] {
        match self {
            ShapeKind::Standard(_, numbers) => numbers,
            ShapeKind::Model(_) => &[],
        }
    }
}

/// The four standard shapes of viewers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandardShape {
    /// Box with edges of 1 m.
    Box,
    /// Cylinder along z.
    Cylinder,
    /// Sphere with a radius of 1 m.
    Sphere,
    /// Cylinder with hemispherical ends.
    Capsule,
}

impl StandardShape {
    /// All standard shapes.
    pub const ALL: [StandardShape; 4] =
        [StandardShape::Box, StandardShape::Cylinder, StandardShape::Sphere, StandardShape::Capsule];

    /// Name in messages.
    pub fn name(self) -> &'static str {
        match self {
            StandardShape::Box => "StdUnitBox",
            StandardShape::Cylinder => "StdUnitCylinder",
            StandardShape::Sphere => "StdUnitSphere",
            StandardShape::Capsule => "StdCapsule",
        }
    }
}

/// Appearance of a shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Look {
    /// Material with this name.
    Material(String),
    /// Red, green, blue and opacity, each 0 to 1; only in RSMP.
    Colour([f64; 4]),
}

/// Item sent along with a scene: its name, and its value as words.
pub type Field = (String, Vec<String>);

/// Scene part of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Graph {
    /// Whole scene.
    Full(Vec<Node>),
    /// Changes relative to the last full scene.
    Changes(Vec<Change>),
}

/// Error of a message that is not a valid scene of its protocol.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SceneError {
    /// The message is not an S-expression.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// A part is missing or malformed.
    #[error("{0}")]
    Form(String),
}

/// Change of a node since it was sent last; empty for most nodes.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// New matrix of a transform.
    pub matrix: Option<Matrix>,
    /// New visibility of a mesh or shape.
    pub visible: Option<bool>,
    /// Changes of all children, in order.
    pub children: Vec<Change>,
}

impl Node {
    /// Children of the node.
    pub fn children(&self) -> &[Node] {
        match self {
            Node::Transform(_, children) | Node::Group(children) | Node::Subject(_, children) => children,
            Node::Mesh(_) | Node::Shape(_) | Node::Light(_) => &[],
        }
    }

    /// Whether the node is drawn; `None` for nodes that cannot be drawn.
    pub fn visible(&self) -> Option<bool> {
        match self {
            Node::Mesh(mesh) => Some(mesh.visible),
            Node::Shape(shape) => Some(shape.visible),
            _ => None,
        }
    }

    /// Applies a change from [`sender::Sender`] or a message. Returns false if the change does not fit the node;
    /// changes before the mismatch remain applied.
    pub fn apply(&mut self, change: &Change) -> bool {
        if let Some(visible) = change.visible {
            match self {
                Node::Mesh(mesh) => mesh.visible = visible,
                Node::Shape(shape) => shape.visible = visible,
                _ => return false,
            }
        }
        if let Some(new) = change.matrix {
            let Node::Transform(matrix, _) = self else { return false };
            *matrix = new;
        }
        let children = match self {
            Node::Transform(_, children) | Node::Group(children) | Node::Subject(_, children) => &mut children[..],
            Node::Mesh(_) | Node::Shape(_) | Node::Light(_) => &mut [],
        };
        apply(children, &change.children)
    }
}

/// Applies the changes of all nodes; returns false if their number differs, or if a change does not fit its node.
pub fn apply(nodes: &mut [Node], changes: &[Change]) -> bool {
    nodes.len() == changes.len() && nodes.iter_mut().zip(changes).all(|(node, change)| node.apply(change))
}

/// Matrix of a position and a rotation about z (rad).
pub fn pose_matrix(at: [f64; 3], turn: f64) -> Matrix {
    let (sin, cos) = turn.sin_cos();
    [cos, sin, 0.0, 0.0, -sin, cos, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, at[0], at[1], at[2], 1.0]
}
