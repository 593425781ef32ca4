//! A scene as 3D viewers have it: a tree of transforms with meshes, shapes and lights as leaves.
//!
//! [`simspark`] and [`rsmp`] write it and read it; [`sender`] says what of it has to be sent again. Metres, z up, right-handed.

pub mod above;
pub mod arena;
pub mod body;
mod materials;
pub mod numbers;
mod read;
pub mod rsmp;
pub mod sender;
pub mod simspark;

use crate::sexpr::SyntaxError;
use thiserror::Error;

/// A matrix as viewers get it: column by column, the rotation's columns each with 0 behind them, then the place with 1.
pub type Matrix = [f64; 16];

/// A part of a scene.
#[derive(Clone, Debug, PartialEq)]
pub enum Node {
    /// What its children are relative to.
    Transform(Matrix, Vec<Node>),
    /// A node that only holds others ("base node").
    Group(Vec<Node>),
    /// Whose body the children are: RSMP names it, SimSpark shows it by materials only.
    Subject(Subject, Vec<Node>),
    /// A model that the viewer has as a file.
    Mesh(Mesh),
    /// A shape that every viewer can draw.
    Shape(Shape),
    /// A light: diffuse, ambient and specular colour, red, green, blue and opacity, 0 to 1.
    Light([[f64; 4]; 3]),
}

/// Who a body is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Subject {
    /// The ball, which is the frisbee.
    Ball,
    /// A robot: its team and its number, from 1.
    Agent(String, u32),
}

/// A model of a file that viewers have.
#[derive(Clone, Debug, PartialEq)]
pub struct Mesh {
    /// The file's name, such as `models/soccerball.obj`.
    pub model: String,
    /// How large it is drawn along x, y, z.
    pub scale: [f64; 3],
    /// It is drawn.
    pub visible: bool,
    /// Drawn after all that is not.
    pub transparent: bool,
    /// Names of its materials, in the file's order.
    pub materials: Vec<String>,
}

/// A shape.
#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    /// Which.
    pub form: Form,
    /// Edges of a box; the radius of a sphere, three times; radius, radius and length of a cylinder, m.
    pub scale: [f64; 3],
    /// It is drawn.
    pub visible: bool,
    /// Drawn after all that is not.
    pub transparent: bool,
    /// How it looks.
    pub look: Look,
}

/// A form of a shape.
#[derive(Clone, Debug, PartialEq)]
pub enum Form {
    /// One of those that every viewer has, with the numbers that follow its name: length and radius of cylinders and capsules
    /// before they are scaled, none else.
    Standard(FormKind, Vec<f64>),
    /// A file of the viewer's; only RSMP.
    Model(String),
}

impl Form {
    /// What messages call it.
    pub fn name(&self) -> &str {
        match self {
            Form::Standard(kind, _) => kind.name(),
            Form::Model(file) => file,
        }
    }

    /// The numbers that follow its name.
    pub fn numbers(&self) -> &[f64] {
        match self {
            Form::Standard(_, numbers) => numbers,
            Form::Model(_) => &[],
        }
    }
}

/// The four kinds that viewers have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FormKind {
    /// A box with edges of 1 m.
    Box,
    /// A cylinder along z.
    Cylinder,
    /// A sphere with a radius of 1 m.
    Sphere,
    /// A cylinder with round ends.
    Capsule,
}

impl FormKind {
    /// All of them.
    pub const ALL: [FormKind; 4] = [FormKind::Box, FormKind::Cylinder, FormKind::Sphere, FormKind::Capsule];

    /// What messages call it.
    pub fn name(self) -> &'static str {
        match self {
            FormKind::Box => "StdUnitBox",
            FormKind::Cylinder => "StdUnitCylinder",
            FormKind::Sphere => "StdUnitSphere",
            FormKind::Capsule => "StdCapsule",
        }
    }
}

/// How a shape looks.
#[derive(Clone, Debug, PartialEq)]
pub enum Look {
    /// A material that the viewer knows by this name.
    Material(String),
    /// Red, green, blue and opacity, 0 to 1; only RSMP.
    Colour([f64; 4]),
}

/// What is said beside a scene: a name, and what it has for a value, as words.
pub type Field = (String, Vec<String>);

/// The scene of a message.
#[derive(Clone, Debug, PartialEq)]
pub enum Graph {
    /// All of it.
    Full(Vec<Node>),
    /// What has changed of the last full one.
    Changes(Vec<Change>),
}

/// A message that is no scene as this protocol has it.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum SceneError {
    /// It is no S-expression.
    #[error(transparent)]
    Syntax(#[from] SyntaxError),
    /// A part is missing or is not what it should be.
    #[error("{0}")]
    Form(String),
}

/// What has changed of a node since it was sent last; nothing, for most.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Change {
    /// A transform's new matrix.
    pub matrix: Option<Matrix>,
    /// Whether a mesh or shape is drawn from now on.
    pub visible: Option<bool>,
    /// Of the children in their order; as many as the node has.
    pub children: Vec<Change>,
}

impl Node {
    /// Its children.
    pub fn children(&self) -> &[Node] {
        match self {
            Node::Transform(_, children) | Node::Group(children) | Node::Subject(_, children) => children,
            Node::Mesh(_) | Node::Shape(_) | Node::Light(_) => &[],
        }
    }

    /// Whether it is drawn, if it is something that can be.
    pub fn visible(&self) -> Option<bool> {
        match self {
            Node::Mesh(mesh) => Some(mesh.visible),
            Node::Shape(shape) => Some(shape.visible),
            _ => None,
        }
    }

    /// Makes a change that [`sender::Sender`] or a message told; false if it does not fit the node, of which nothing is changed
    /// then but what came before.
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

/// Makes the changes of all nodes; false if there are not as many, or one does not fit.
pub fn apply(nodes: &mut [Node], changes: &[Change]) -> bool {
    nodes.len() == changes.len() && nodes.iter_mut().zip(changes).all(|(node, change)| node.apply(change))
}

/// The matrix of a place and a turn about z, rad.
pub fn placed(at: [f64; 3], turn: f64) -> Matrix {
    let (sin, cos) = turn.sin_cos();
    [cos, sin, 0.0, 0.0, -sin, cos, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, at[0], at[1], at[2], 1.0]
}
