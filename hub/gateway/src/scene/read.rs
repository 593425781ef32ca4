//! Readers for the parts that both protocols have in common: nodes, changes of nodes, and fields.

use super::{Change, Field, Look, Mesh, Node, SceneError, Shape, ShapeKind, StandardShape, Subject};
use crate::sexpr::Expression;

pub(super) fn refuse<T>(why: impl Into<String>) -> Result<T, SceneError> {
    Err(SceneError::Form(why.into()))
}

/// Reads fields, each with a name and its values.
pub(super) fn fields<'e>(items: impl Iterator<Item = Expression<'e>>) -> Result<Vec<Field>, SceneError> {
    let field = |item: Expression<'e>| {
        let Some(name) = item.name() else { return refuse("expected a name and its values in parentheses") };
        let words = item.values().map(|value| value.word().map(String::from));
        match words.collect() {
            Some(words) => Ok((name.into(), words)),
            None => refuse(format!("the values of `{name}` must not be lists")),
        }
    };
    items.map(field).collect()
}

/// Reads the nodes of a full scene.
pub(super) fn nodes<'e>(items: impl Iterator<Item = Expression<'e>>) -> Result<Vec<Node>, SceneError> {
    items.map(node).collect()
}

fn node(item: Expression<'_>) -> Result<Node, SceneError> {
    if item.name() != Some("nd") {
        return refuse(format!("expected `nd`, not `{}`", item.name().unwrap_or("a list")));
    }
    let Some(kind) = item.values().next().and_then(|kind| kind.word()) else {
        return refuse("a node of a full scene lacks its kind");
    };
    // Returns all items after the node's kind.
    let parts = || item.values().skip(1);
    let children = || nodes(parts().filter(|part| part.name() == Some("nd")));
    match kind {
        "TRF" => {
            let matrix = parts().find(|part| part.name() == Some("SLT")).and_then(|part| part.numbers());
            let Some(matrix) = matrix else { return refuse("a transform needs SLT with 16 numbers") };
            Ok(Node::Transform(matrix, children()?))
        }
        "BN" => Ok(Node::Group(children()?)),
        "DSC" => Ok(Node::Subject(subject(parts())?, children()?)),
        "StaticMesh" => mesh(parts()),
        "SMN" => shape(parts()),
        "Light" => {
            let colour = |name: &str| {
                let part = parts().find(|part| part.name() == Some(name)).and_then(|part| part.numbers());
                part.map_or_else(|| refuse(format!("a light needs {name} with four numbers")), Ok)
            };
            Ok(Node::Light([colour("setDiffuse")?, colour("setAmbient")?, colour("setSpecular")?]))
        }
        other => refuse(format!("`{other}` is not a kind of node; expected TRF, BN, DSC, StaticMesh, SMN or Light")),
    }
}

fn subject<'e>(mut parts: impl Iterator<Item = Expression<'e>>) -> Result<Subject, SceneError> {
    let Some(who) = parts.next() else { return refuse("DSC lacks (ball) or (agent TEAM NUMBER)") };
    let words: Vec<&str> = who.items().filter_map(|item| item.word()).collect();
    match words[..] {
        ["ball"] => Ok(Subject::Ball),
        ["agent", team, number] => match number.parse() {
            Ok(number) => Ok(Subject::Agent(team.into(), number)),
            Err(_) => refuse(format!("the agent number `{number}` is invalid")),
        },
        _ => refuse("DSC has neither (ball) nor (agent TEAM NUMBER)"),
    }
}

/// Common properties of meshes and shapes.
struct DrawProperties<'e> {
    visible: bool,
    transparent: bool,
    scale: [f64; 3],
    load: Vec<&'e str>,
}

fn drawn<'e>(parts: impl Iterator<Item = Expression<'e>>) -> Result<DrawProperties<'e>, SceneError> {
    let mut drawn = DrawProperties { visible: true, transparent: false, scale: [1.0; 3], load: Vec::new() };
    for part in parts {
        match part.name() {
            Some("setVisible") => drawn.visible = visible(&part)?,
            Some("setTransparent") => drawn.transparent = true,
            Some("sSc") => match part.numbers() {
                Some(scale) => drawn.scale = scale,
                None => return refuse("sSc needs three numbers"),
            },
            Some("load") => drawn.load = part.values().filter_map(|value| value.word()).collect(),
            _ => {}
        }
    }
    if drawn.load.is_empty() { refuse("a mesh needs (load NAME)") } else { Ok(drawn) }
}

fn visible(part: &Expression<'_>) -> Result<bool, SceneError> {
    match part.numbers() {
        Some([number]) => Ok(number != 0.0),
        None => refuse("setVisible needs 0 or 1"),
    }
}

fn mesh<'e>(parts: impl Iterator<Item = Expression<'e>> + Clone) -> Result<Node, SceneError> {
    let DrawProperties { visible, transparent, scale, load } = drawn(parts.clone())?;
    let mut parts = parts;
    let materials = parts.find(|part| part.name() == Some("resetMaterials"));
    let names = materials.iter().flat_map(|part| part.values()).filter_map(|name| name.word().map(String::from));
    Ok(Node::Mesh(Mesh { model: load[0].into(), scale, visible, transparent, materials: names.collect() }))
}

fn shape<'e>(parts: impl Iterator<Item = Expression<'e>> + Clone) -> Result<Node, SceneError> {
    let DrawProperties { visible, transparent, scale, load } = drawn(parts.clone())?;
    let numbers = load[1..].iter().map(|number| number.parse().ok()).collect::<Option<Vec<f64>>>();
    let Some(numbers) = numbers else { return refuse(format!("{} needs a number", load[0])) };
    let form = match StandardShape::ALL.into_iter().find(|kind| kind.name() == load[0]) {
        Some(kind) => ShapeKind::Standard(kind, numbers),
        None => ShapeKind::Model(load[0].into()),
    };
    let look = |part: Expression<'e>| match part.name()? {
        "sMat" => Some(Look::Material(part.values().next()?.word()?.into())),
        "rgba" => Some(Look::Colour(part.numbers()?)),
        _ => None,
    };
    let mut parts = parts;
    let look = parts.find_map(look).unwrap_or_else(|| Look::Material("matGrey".into()));
    Ok(Node::Shape(Shape { form, scale, visible, transparent, look }))
}

/// Reads changes, one for each root node of a scene.
pub(super) fn changes<'e>(items: impl Iterator<Item = Expression<'e>>) -> Result<Vec<Change>, SceneError> {
    items.map(change).collect()
}

fn change(item: Expression<'_>) -> Result<Change, SceneError> {
    if item.name() != Some("nd") {
        return refuse(format!("expected `nd`, not `{}`", item.name().unwrap_or("a list")));
    }
    let mut found = Change::default();
    for part in item.values() {
        match part.name() {
            Some("nd") => found.children.push(change(part)?),
            Some("SLT") => match part.numbers() {
                Some(matrix) => found.matrix = Some(matrix),
                None => return refuse("SLT needs 16 numbers"),
            },
            Some("setVisible") => found.visible = Some(visible(&part)?),
            // The node's kind and unknown items of later protocol versions are ignored.
            _ => {}
        }
    }
    Ok(found)
}
