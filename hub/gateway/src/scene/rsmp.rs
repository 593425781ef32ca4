//! RSMP 1.0, the successor of the SimSpark monitor protocol. A message is one expression whose components have their
//! own versions.

use super::numbers::write_fixed;
use super::read::{changes, fields, nodes, refuse};
use super::simspark::write_field;
use super::{Change, Field, Graph, Look, Matrix, Node, SceneError, ShapeKind, Subject};
use crate::sexpr::{Expression, parse};
use std::fmt::Write;

/// Number of decimals in matrices.
const DECIMALS: usize = 4;

/// Message from a server.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// Game time (s).
    pub time: f64,
    /// Whole scene, or its changes.
    pub graph: Graph,
    /// Fields of the game state.
    pub state: Vec<Field>,
    /// Fields of the environment; empty in messages with changes.
    pub environment: Vec<Field>,
}

/// Formats a message with a whole scene. `time` is the game time (s).
pub fn full(time: f64, state: &[Field], environment: &[Field], scene: &[Node]) -> String {
    let mut text = beginning(time, "full");
    scene.iter().for_each(|node| write_node(&mut text, node));
    text.push(')');
    write_fields(&mut text, "gs", state);
    write_fields(&mut text, "ge", environment);
    text.push(')');
    text
}

/// Formats a message with the changes of a scene. `time` is the game time (s). `changes` has one change for each root
/// node.
pub fn changed(time: f64, state: &[Field], scene: &[Node], changes: &[Change]) -> String {
    let mut text = beginning(time, "diff");
    scene.iter().zip(changes).for_each(|(node, change)| write_change(&mut text, node, change));
    text.push(')');
    write_fields(&mut text, "gs", state);
    text.push(')');
    text
}

/// Parses a message from a server. Unknown components are skipped.
///
/// # Errors
/// The message is invalid. The error states the reason in one line.
pub fn read(message: &[u8]) -> Result<Message, SceneError> {
    let all = parse(message)?;
    let mut whole = all.iter();
    let (Some(parts), None) = (whole.next(), whole.next()) else { return refuse("a message must be one list") };
    if parts.items().next().is_none_or(|head| head.name() != Some("RSMP")) {
        return refuse("a message must begin with (RSMP MAJOR MINOR)");
    }
    let component =
        |name: &str| parts.values().find(|part| part.items().next().and_then(|head| head.name()) == Some(name));
    let said = |name: &str| component(name).map_or_else(|| Ok(Vec::new()), |part| fields(part.values()));
    let time = component("gt").and_then(|part| part.values().next()?.number());
    let Some(time) = time else { return refuse("the time is missing: ((gt 1 0) SECONDS)") };
    let Some(scene) = component("sg") else { return refuse("the scene is missing: ((sg 1 0) full NODES)") };
    let items = || scene.values().skip(1);
    let graph = match scene.values().next().and_then(|kind: Expression<'_>| kind.word()) {
        Some("full") => Graph::Full(nodes(items())?),
        Some("diff") => Graph::Changes(changes(items())?),
        other => return refuse(format!("a scene must be `full` or `diff`, not `{}`", other.unwrap_or("a list"))),
    };
    Ok(Message { time, graph, state: said("gs")?, environment: said("ge")? })
}

fn beginning(time: f64, kind: &str) -> String {
    let mut text = String::from("((RSMP 1 0)((gt 1 0)");
    write_fixed(&mut text, time, 2);
    let _ = write!(text, ")((sg 1 0){kind}");
    text
}

fn write_fields(text: &mut String, component: &str, fields: &[Field]) {
    let _ = write!(text, "(({component} 1 0)");
    fields.iter().for_each(|field| write_field(text, field));
    text.push(')');
}

fn write_node(text: &mut String, node: &Node) {
    match node {
        Node::Transform(matrix, children) => {
            text.push_str("(nd TRF");
            write_matrix(text, matrix);
            children.iter().for_each(|child| write_node(text, child));
            text.push(')');
        }
        Node::Subject(subject, children) => {
            let _ = match subject {
                Subject::Ball => write!(text, "(nd DSC(ball)"),
                Subject::Agent(team, number) => write!(text, "(nd DSC(agent {team} {number})"),
            };
            children.iter().for_each(|child| write_node(text, child));
            text.push(')');
        }
        // RSMP has no groups, lights and meshes. A group is replaced by its children. Viewers add lights, and the robot
        // numbers that meshes show, themselves.
        Node::Group(children) => children.iter().for_each(|child| write_node(text, child)),
        Node::Light(_) | Node::Mesh(_) => {}
        Node::Shape(shape) => {
            let _ = write!(text, "(nd SMN (setVisible {})(load {})", u8::from(shape.visible), shape.form.name());
            let _ = match &shape.look {
                Look::Material(name) => write!(text, "(sMat {name})"),
                Look::Colour([red, green, blue, alpha]) => write!(text, "(rgba {red:?} {green:?} {blue:?} {alpha:?})"),
            };
            // Servers omit a model's scale if it is 1.
            match (&shape.form, shape.scale) {
                (ShapeKind::Model(_), [1.0, 1.0, 1.0]) => text.push(')'),
                (_, scale) => write_scale(text, &scale),
            }
        }
    }
}

fn write_scale(text: &mut String, [x, y, z]: &[f64; 3]) {
    let _ = write!(text, "(sSc {x:?} {y:?} {z:?}))");
}

fn write_matrix(text: &mut String, matrix: &Matrix) {
    text.push_str("(SLT");
    for number in matrix {
        text.push(' ');
        write_fixed(text, *number, DECIMALS);
    }
    text.push(')');
}

fn write_change(text: &mut String, node: &Node, change: &Change) {
    let below = node.children().iter().zip(&change.children);
    match node {
        Node::Group(_) => below.for_each(|(node, change)| write_change(text, node, change)),
        Node::Light(_) | Node::Mesh(_) => {}
        _ => {
            text.push_str("(nd");
            if let Some(matrix) = &change.matrix {
                text.push_str(" TRF");
                write_matrix(text, matrix);
            }
            if let Some(visible) = change.visible {
                let _ = write!(text, " SMN (setVisible {})", u8::from(visible));
            }
            below.for_each(|(node, change)| write_change(text, node, change));
            text.push(')');
        }
    }
}
