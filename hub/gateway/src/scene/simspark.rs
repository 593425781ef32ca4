//! SimSpark monitor protocol (SimSpark wiki, "Network Protocol"), as used by servers of version 0.7.1. A message has
//! three consecutive expressions: fields, header and graph.

use super::materials::nearest;
use super::numbers::write_general;
use super::read::{changes, fields, nodes, refuse};
use super::{Change, Field, Graph, Look, Matrix, Mesh, Node, SceneError, Shape};
use crate::sexpr::parse;
use std::fmt::Write;

/// Headers of two kinds of messages: with a full scene, and with changes.
const HEADERS: [&str; 2] = ["(RSG 0 1)", "(RDS 0 1)"];
/// Message from a server.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// In full messages, the environment and the whole game state. In other messages, the changed fields of the game
    /// state.
    pub fields: Vec<Field>,
    /// Whole scene, or its changes.
    pub graph: Graph,
}

/// Formats a message with a whole scene.
pub fn full(fields: &[Field], scene: &[Node]) -> String {
    let mut text = beginning(fields, HEADERS[0]);
    scene.iter().for_each(|node| write_node(&mut text, node));
    text.push(')');
    text
}

/// Formats a message with the changes of a scene. `changes` has one change for each root node.
pub fn changed(fields: &[Field], scene: &[Node], changes: &[Change]) -> String {
    let mut text = beginning(fields, HEADERS[1]);
    scene.iter().zip(changes).for_each(|(node, change)| write_change(&mut text, node, change));
    text.push(')');
    text
}

/// Parses a message from a server.
///
/// # Errors
/// The message is invalid. The error states the reason in one line.
pub fn read(message: &[u8]) -> Result<Message, SceneError> {
    let all = parse(message)?;
    let mut parts = all.iter();
    let (Some(said), Some(header), Some(graph), None) = (parts.next(), parts.next(), parts.next(), parts.next()) else {
        return refuse("a message must be three lists: fields, a header and a graph");
    };
    let graph = match header.name() {
        Some("RSG") => Graph::Full(nodes(graph.items())?),
        Some("RDS") => Graph::Changes(changes(graph.items())?),
        other => return refuse(format!("the header must be RSG or RDS, not `{}`", other.unwrap_or("a list"))),
    };
    Ok(Message { fields: fields(said.items())?, graph })
}

fn beginning(fields: &[Field], header: &str) -> String {
    let mut text = String::from("(");
    fields.iter().for_each(|field| write_field(&mut text, field));
    text.push(')');
    text.push_str(header);
    text.push('(');
    text
}

pub(super) fn write_field(text: &mut String, (name, values): &Field) {
    let _ = write!(text, "({name}");
    values.iter().for_each(|value| {
        let _ = write!(text, " {value}");
    });
    text.push(')');
}

fn write_node(text: &mut String, node: &Node) {
    match node {
        Node::Transform(matrix, children) => {
            text.push_str("(nd TRF ");
            write_matrix(text, matrix);
            children.iter().for_each(|child| write_node(text, child));
            text.push(')');
        }
        Node::Group(children) => {
            text.push_str("(nd BN");
            children.iter().for_each(|child| write_node(text, child));
            text.push(')');
        }
        // Viewers of this protocol do not know this node, so it is replaced by its children.
        Node::Subject(_, children) => children.iter().for_each(|child| write_node(text, child)),
        Node::Mesh(mesh) => write_mesh(text, mesh),
        Node::Shape(shape) => write_shape(text, shape),
        Node::Light([diffuse, ambient, specular]) => {
            text.push_str("(nd Light");
            for (name, colour) in [("setDiffuse", diffuse), ("setAmbient", ambient), ("setSpecular", specular)] {
                let _ = write!(text, " ({name}");
                write_numbers(text, colour);
                text.push(')');
            }
            text.push(')');
        }
    }
}

fn write_mesh(text: &mut String, mesh: &Mesh) {
    text.push_str("(nd StaticMesh");
    write_drawn(text, mesh.visible, mesh.transparent);
    let _ = write!(text, " (load {}) (sSc", mesh.model);
    write_numbers(text, &mesh.scale);
    text.push_str(")(resetMaterials");
    mesh.materials.iter().for_each(|material| {
        let _ = write!(text, " {material}");
    });
    text.push_str("))");
}

fn write_shape(text: &mut String, shape: &Shape) {
    text.push_str("(nd SMN");
    write_drawn(text, shape.visible, shape.transparent);
    let _ = write!(text, " (load {}", shape.form.name());
    write_numbers(text, shape.form.numbers());
    text.push_str(") (sSc");
    write_numbers(text, &shape.scale);
    let material = match &shape.look {
        Look::Material(name) => name,
        Look::Colour(colour) => nearest(colour),
    };
    let _ = write!(text, ") (sMat {material}))");
}

fn write_drawn(text: &mut String, visible: bool, transparent: bool) {
    let _ = write!(text, " (setVisible {})", u8::from(visible));
    if transparent {
        text.push_str(" (setTransparent)");
    }
}

fn write_matrix(text: &mut String, matrix: &Matrix) {
    text.push_str("(SLT");
    write_numbers(text, matrix);
    text.push(')');
}

fn write_numbers(text: &mut String, numbers: &[f64]) {
    for number in numbers {
        text.push(' ');
        write_general(text, *number);
    }
}

fn write_change(text: &mut String, node: &Node, change: &Change) {
    let below = node.children().iter().zip(&change.children);
    match node {
        Node::Subject(..) => below.for_each(|(node, change)| write_change(text, node, change)),
        Node::Transform(..) | Node::Group(_) => {
            text.push_str("(nd");
            if let Some(matrix) = &change.matrix {
                text.push(' ');
                write_matrix(text, matrix);
            }
            below.for_each(|(node, change)| write_change(text, node, change));
            text.push(')');
        }
        Node::Mesh(_) | Node::Shape(_) => {
            text.push_str(if matches!(node, Node::Mesh(_)) { "(nd StaticMesh" } else { "(nd SMN" });
            if let Some(visible) = change.visible {
                let _ = write!(text, " (setVisible {})", u8::from(visible));
            }
            text.push(')');
        }
        Node::Light(_) => text.push_str("(nd)"),
    }
}
