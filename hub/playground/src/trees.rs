//! Trees of a page: check, drawing, explanation, conversion, and the list of nodes.

use crate::request::Form;
use serde_json::{Value, json};
use xpuck_kernels::tree::exchange::{Direction, from_json, from_xml, to_json, to_svg, to_xml};
use xpuck_kernels::tree::registers::REGISTERS;
use xpuck_kernels::tree::{Kind, ParseError, Program, Tree, hints};
use xpuck_kernels::world::WorldSpec;
use xpuck_views::TreeView;

/// Parses a tree.
///
/// # Errors
/// The first error, with its position.
pub fn parse(text: &str, form: Form) -> Result<Tree, ParseError> {
    match form {
        Form::Bt | Form::Svg => Tree::parse(text),
        Form::Xml => from_xml(text),
        Form::Json => from_json(text),
    }
}

/// Compiles a tree for the robots of a world.
///
/// # Errors
/// The tree is invalid, too large for a robot, or reads a sense that the robots lack. The error is one line.
pub fn compile(text: &str, spec: &WorldSpec) -> Result<(Tree, Program), String> {
    let tree = Tree::parse(text).map_err(|error| first_line(&error))?;
    let program = Program::compile(&tree).map_err(|error| error.to_string())?;
    spec.physics.robot.check_program(&program)?;
    Ok((tree, program))
}

fn first_line(error: &ParseError) -> String {
    error.to_string().lines().next().unwrap_or_default().into()
}

fn place(error: &ParseError) -> Value {
    json!({ "line": error.line, "column": error.column, "message": error.message })
}

/// Checks a tree. Returns its errors, or its drawing with notes about probable mistakes.
pub fn check(text: &str, form: Form, spec: Option<&WorldSpec>) -> Value {
    let tree = match parse(text, form) {
        Ok(tree) => tree,
        Err(error) => return json!({ "errors": [place(&error)] }),
    };
    let program = Program::compile(&tree).map_err(|error| error.to_string());
    let program = program.and_then(|program| match spec {
        Some(spec) => spec.physics.robot.check_program(&program),
        None => Ok(()),
    });
    if let Err(message) = program {
        return json!({ "errors": [{ "line": 0, "column": 0, "message": message }] });
    }
    let notes: Vec<Value> = if form == Form::Bt { hints(text).iter().map(place).collect() } else { Vec::new() };
    json!({ "errors": [], "notes": notes, "tree": TreeView::new(&tree) })
}

/// Converts a tree to another form.
///
/// # Errors
/// The first error, with its position, in one line.
pub fn convert(text: &str, form: Form, to: Form) -> Result<Value, String> {
    let tree = parse(text, form).map_err(|error| first_line(&error))?;
    let text = match to {
        Form::Bt => tree.to_string(),
        Form::Xml => to_xml(&tree),
        Form::Json => to_json(&tree),
        Form::Svg => to_svg(&tree, Direction::Down),
    };
    Ok(json!({ "text": text }))
}

/// Returns all nodes of e-pucks with their operands and meanings, and the registers with their meanings.
pub fn nodes() -> Value {
    let node = |kind: Kind| {
        let spec = kind.spec();
        let operands: Vec<&str> = spec.operands.iter().map(|operand| operand.name).collect();
        json!({ "name": spec.name, "meaning": spec.meaning, "operands": operands })
    };
    let nodes: Vec<Value> = Kind::outside_networks().filter(|kind| !kind.is_kilobots_own()).map(node).collect();
    let registers = REGISTERS.map(|register| json!({ "name": register.name, "meaning": register.meaning }));
    json!({ "nodes": nodes, "registers": registers })
}
