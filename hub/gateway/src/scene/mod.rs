//! Scene of 3D viewers: a tree of transforms with meshes, shapes and lights as leaves.
//!
//! [`simspark`] and [`rsmp`] write and read scenes. [`sender`] determines which parts of a scene are sent again.
//! Lengths are in metres. Coordinates are right-handed, and z points up.

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

/// Column-major matrix of viewers. Its columns are the three columns of the rotation, each followed by 0, and the
/// position, followed by 1.
pub type Matrix = [f64; 16];

/// Node of a scene.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// Transform from the coordinates of the given children into the coordinates of the node above.
    Transform(Matrix, Vec<Node>),
    /// Node with children but without own content ("base node").
    Group(Vec<Node>),
    /// Robot or ball, whose body consists of the given children. Only RSMP has this node. In SimSpark, viewers
    /// recognise robots by their materials, and the ball by its model.
    Subject(Subject, Vec<Node>),
    /// Model from a file that the viewer has.
    Mesh(Mesh),
    /// Shape that every viewer can draw.
    Shape(Shape),
    /// Light with a diffuse, an ambient and a specular colour. Each colour has red, green, blue and opacity
    /// components from 0 to 1.
    Light([[f64; 4]; 3]),
}

/// Robot or ball.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// Ball, which represents the frisbee.
    Ball,
    /// Robot with its team, and its number in the team, from 1.
    Agent(String, u32),
}

/// Model from a file that the viewer has.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// File name of the model, such as `models/soccerball.obj`.
    pub model: String,
    /// Scale factors along x, y and z.
    pub scale: [f64; 3],
    /// Whether the model is drawn.
    pub visible: bool,
    /// Whether the model is drawn after all opaque objects.
    pub transparent: bool,
    /// Names of the model's materials, in the order of the file.
    pub materials: Vec<String>,
}

/// Shape with its appearance.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Kind of shape.
    pub form: ShapeKind,
    /// Scale factors along x, y and z. The unscaled standard shapes have dimensions of 1 m. The factors are therefore
    /// the edges of a box, three equal radii of a sphere, or radius, radius and length of a cylinder (m).
    pub scale: [f64; 3],
    /// Whether the shape is drawn.
    pub visible: bool,
    /// Whether the shape is drawn after all opaque objects.
    pub transparent: bool,
    /// Material or colour of the shape.
    pub look: Look,
}

/// Kind of shape.
#[derive(Clone, Debug, PartialEq)]
pub enum ShapeKind {
    /// Standard shape that every viewer has, and the numbers after its name. For a cylinder or capsule, these are
    /// radius and length before scaling. Other shapes have no numbers.
    Standard(StandardShape, Vec<f64>),
    /// Model from a file that the viewer has; only in RSMP.
    Model(String),
}

impl ShapeKind {
    /// Returns the name of the shape in messages.
    pub fn name(&self) -> &str {
        match self {
            ShapeKind::Standard(kind, _) => kind.name(),
            ShapeKind::Model(file) => file,
        }
    }

    /// Returns the numbers after the name of the shape.
    pub fn numbers(&self) -> &[f64] {
        match self {
            ShapeKind::Standard(_, numbers) => numbers,
            ShapeKind::Model(_) => &[],
        }
    }
}

/// Standard shapes of viewers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StandardShape {
    /// Box with edges of 1 m.
    Box,
    /// Cylinder along the z axis.
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

    /// Returns the name of the shape in messages.
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
    /// Material of the viewer, by name.
    Material(String),
    /// Red, green, blue and opacity components, each 0 to 1; only in RSMP.
    Colour([f64; 4]),
}

/// Item sent with a scene: its name and the words of its value.
pub type Field = (String, Vec<String>);

/// Scene part of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Graph {
    /// All root nodes of a scene.
    Full(Vec<Node>),
    /// Changes of all root nodes since the last message.
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

/// Change of a node since the last transmission. For most nodes it is empty.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// New matrix, if the node is a transform that has moved.
    pub matrix: Option<Matrix>,
    /// New visibility, if a mesh or shape was shown or hidden.
    pub visible: Option<bool>,
    /// Changes of all children, in order.
    pub children: Vec<Change>,
}

impl Node {
    /// Returns the children of the node; none for meshes, shapes and lights.
    pub fn children(&self) -> &[Node] {
        match self {
            Node::Transform(_, children) | Node::Group(children) | Node::Subject(_, children) => children,
            Node::Mesh(_) | Node::Shape(_) | Node::Light(_) => &[],
        }
    }

    /// Returns whether the node is drawn; `None` for nodes other than meshes and shapes.
    pub fn visible(&self) -> Option<bool> {
        match self {
            Node::Mesh(mesh) => Some(mesh.visible),
            Node::Shape(shape) => Some(shape.visible),
            _ => None,
        }
    }

    /// Applies a change from [`sender::Sender`] or from a message. Returns false if the change does not fit the node.
    /// In this case, the changes before the mismatch remain applied.
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

/// Applies one change to each node. Returns false if the numbers of nodes and changes differ, or if a change does not
/// fit its node.
pub fn apply(nodes: &mut [Node], changes: &[Change]) -> bool {
    nodes.len() == changes.len() && nodes.iter_mut().zip(changes).all(|(node, change)| node.apply(change))
}

/// Returns the matrix of a position (m) and a rotation about z (rad).
pub fn pose_matrix(at: [f64; 3], turn: f64) -> Matrix {
    let (sin, cos) = turn.sin_cos();
    [cos, sin, 0.0, 0.0, -sin, cos, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, at[0], at[1], at[2], 1.0]
}
