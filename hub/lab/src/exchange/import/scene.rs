//! Parsed .argos file, in ARGoS's coordinates.

use super::mission::Mission;
use super::xml::{at, child, line, numbers, numbers_or_zero, positive, whole};
use roxmltree::{Document, Node};
use std::collections::BTreeMap;
use xpuck_kernels::model::MAX_ROBOTS;

/// Maximum number of attributes of an XML element. ARGoS's elements have only a few.
const MOST_ATTRIBUTES: usize = 256;
/// Maximum number of entities in an arena. Each instance of a `<distribute>` counts. ARGoS's largest example has 304
/// entities.
const MOST_THINGS: usize = 4096;
/// Maximum number of boxes and cylinders in an arena. ARGoS's largest example has 204 of them.
const MOST_BODIES: usize = 400;
/// Maximum number of draws for one position of a `<distribute>`.
pub(super) const MOST_TRIALS: usize = 10_000;

/// Contents of an ARGoS experiment file.
pub(super) struct Scene {
    /// Lengths of the space along x and y (m).
    pub size: [f32; 2],
    /// Centre of the space (m).
    pub centre: [f32; 2],
    /// Seed of random placements.
    pub seed: u64,
    /// Length of a run (s); `None` if the file has no valid length.
    pub seconds: Option<f32>,
    /// Things in the arena, in the order of the file.
    pub things: Vec<Thing>,
    /// Notes on omissions and changes, one line each.
    pub notes: Vec<String>,
    /// Mission of the robots, if it is known.
    pub mission: Option<Mission>,
    /// Name of the program whose file was read.
    pub source: &'static str,
}

/// Single entity, or all entities of a `<distribute>`.
pub(super) struct Thing {
    /// Line number in the file.
    pub line: u32,
    /// Name of the XML element.
    pub name: String,
    /// Kind of the thing, with its properties.
    pub what: What,
    /// Number of instances.
    pub count: usize,
    /// Maximum number of draws for each instance.
    pub trials: usize,
    /// Rule for the position (m).
    pub position: Place,
    /// Rule for the angles about z, y and x (degrees).
    pub orientation: Place,
}

/// Kind of a thing. Boxes and cylinders with a mass are movable, and those without a mass are fixed.
pub(super) enum What {
    /// Entity of any kind with a controller.
    Robot,
    /// Box with a length and a width (m), and a mass (kg).
    Box { size: [f32; 2], mass: Option<f32> },
    /// Cylinder with a radius (m), and a mass (kg).
    Cylinder { radius: f32, mass: Option<f32> },
    /// Light with an intensity as in ARGoS.
    Light { intensity: f32 },
}

/// Rule of an ARGoS file for the positions or the orientations of things. It gives three numbers for each instance.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Place {
    /// Constant values.
    Constant([f32; 3]),
    /// Draws from a uniform distribution between two limits.
    Uniform { low: [f32; 3], high: [f32; 3] },
    /// Draws from a normal distribution with a mean and a standard deviation.
    Gaussian { mean: [f32; 3], deviation: [f32; 3] },
    /// Successive positions on a grid with a centre, and with a distance and a number of positions along each axis.
    Grid { centre: [f32; 3], distances: [f32; 3], layout: [usize; 3] },
    /// Draws from a uniform distribution on a disc around the origin, as in AutoMoDe's loop functions.
    Disc { radius: f32 },
    /// Any reachable position, because the file has no rule.
    Anywhere,
}

impl Place {
    /// Returns whether the rule gives the same values in every run.
    pub fn is_fixed(&self) -> bool {
        matches!(self, Place::Constant(_) | Place::Grid { .. })
    }
}

/// Parses the text of an .argos file. `complete` adds the contents that loop functions define, from the root element.
///
/// # Errors
/// The errors of `complete`. If the text is not a valid .argos file, or if a value is invalid. The error is one line,
/// which contains the name of an invalid value.
pub(super) fn read(
    text: &str,
    complete: impl FnOnce(&Node<'_, '_>, &mut Scene) -> Result<(), String>,
) -> Result<Scene, String> {
    // The XML parser compares all attribute names of an element in pairs. The number of attributes is limited, because
    // the parsing time grows with its square.
    if let Some(most) =
        text.split('<').map(|piece| piece.matches('=').count()).max().filter(|most| *most > MOST_ATTRIBUTES)
    {
        return Err(format!("an element has {most} attributes; at most {MOST_ATTRIBUTES} are allowed"));
    }
    let document = Document::parse(text).map_err(|error| format!("not a valid XML file: {error}"))?;
    let root = document.root_element();
    let arena = child(&root, "arena").ok_or("no <arena> below the root; choose the .argos file of an experiment")?;
    let [length, width, _] = positive::<3>(&arena, "size")?;
    let [x, y, _] = numbers_or_zero::<3>(&arena, "center")?;
    let run = child(&root, "framework").and_then(|framework| child(&framework, "experiment"));
    let seed = run.and_then(|run| run.attribute("random_seed")).and_then(|seed| seed.trim().parse().ok());
    let seconds = run.and_then(|run| run.attribute("length")).and_then(|length| length.trim().parse().ok());
    let mut scene = Scene {
        size: [length, width],
        centre: [x, y],
        // ARGoS replaces a seed of 0 by a random seed. The import uses seed 1 instead, so that it is reproducible.
        seed: seed.filter(|seed| *seed > 0).unwrap_or(1),
        seconds: seconds.filter(|seconds: &f32| *seconds > 0.0 && seconds.is_finite()),
        things: Vec::new(),
        notes: Vec::new(),
        mission: None,
        source: "ARGoS",
    };
    let elements = arena.children().filter(Node::is_element).count();
    if elements > MOST_THINGS {
        return Err(format!("{elements} elements in the arena; at most {MOST_THINGS} are allowed"));
    }
    let mut left_out = BTreeMap::new();
    for node in arena.children().filter(Node::is_element) {
        match entity(&node)? {
            Some(thing) => scene.things.push(thing),
            None => left_out.entry(shown(&node)).or_insert_with(Vec::new).push(line(&node)),
        }
    }
    let all: usize = scene.things.iter().map(|thing| thing.count).sum();
    if all > MOST_THINGS {
        return Err(format!("{all} objects in the arena; at most {MOST_THINGS} are allowed"));
    }
    let stands = |thing: &&Thing| matches!(thing.what, What::Box { .. } | What::Cylinder { .. });
    let bodies: usize = scene.things.iter().filter(stands).map(|thing| thing.count).sum();
    if bodies > MOST_BODIES {
        return Err(format!("{bodies} boxes and cylinders; at most {MOST_BODIES} are allowed"));
    }
    complete(&root, &mut scene)?;
    let robots: usize =
        scene.things.iter().filter(|thing| matches!(thing.what, What::Robot)).map(|thing| thing.count).sum();
    if robots > MAX_ROBOTS {
        return Err(format!("{robots} robots; a world has at most {MAX_ROBOTS}; reduce a quantity in the file"));
    }
    for (what, lines) in left_out {
        // The paint of a known mission is in its regions.
        if scene.mission.is_some() && what.starts_with("<floor>") {
            continue;
        }
        scene.notes.push(format!("{}: {what}", these(&lines)));
    }
    note_kinds(&mut scene);
    Ok(scene)
}

/// Adds a note for each other kind of robot. Robots of these kinds are replaced by e-pucks.
fn note_kinds(scene: &mut Scene) {
    let mut kinds = BTreeMap::<&str, (usize, Vec<u32>)>::new();
    for thing in &scene.things {
        if matches!(thing.what, What::Robot) && !["e-puck", "epuck", ""].contains(&thing.name.as_str()) {
            let kind = kinds.entry(&thing.name).or_default();
            kind.0 += thing.count;
            kind.1.push(thing.line);
        }
    }
    let notes = kinds.into_iter().map(|(name, (count, lines))| {
        format!(
            "{}: {count} <{name}> {}",
            these(&lines),
            if count == 1 { "replaced by an e-puck" } else { "replaced by e-pucks" }
        )
    });
    scene.notes.extend(notes.collect::<Vec<_>>());
}

/// Formats line numbers, such as `lines 3, 5`. After six numbers, only the number of further lines is given.
fn these(lines: &[u32]) -> String {
    const SHOWN: usize = 6;
    let shown: Vec<String> = lines.iter().take(SHOWN).map(u32::to_string).collect();
    let more = if lines.len() > SHOWN { format!(" and {} more", lines.len() - SHOWN) } else { String::new() };
    format!("line{} {}{more}", if lines.len() == 1 { "" } else { "s" }, shown.join(", "))
}

/// Returns a note that an element is left out, with the reason if it is known.
fn shown(node: &Node<'_, '_>) -> String {
    let name = node.tag_name().name();
    match name {
        "floor" => "<floor> left out: its colours are unknown; add regions with `paint`".into(),
        "distribute" => {
            let inner = child(node, "entity").and_then(|entity| entity.children().find(Node::is_element));
            let inner = inner.map_or("entity", |inner| inner.tag_name().name());
            format!("<distribute> of <{inner}> left out")
        }
        "light" => "<light> left out: its intensity is 0".into(),
        _ => format!("<{name}> left out"),
    }
}

/// Reads an element of the arena. Returns `None` if Xpuck's worlds have no equivalent.
fn entity(node: &Node<'_, '_>) -> Result<Option<Thing>, String> {
    if node.has_tag_name("distribute") {
        return distribute(node);
    }
    let Some(what) = what(node)? else { return Ok(None) };
    let body = if matches!(what, What::Light { .. }) { Some(*node) } else { child(node, "body") };
    let body = body.ok_or_else(|| at(node, "has no <body>"))?;
    let constant = |key| Ok::<_, String>(Place::Constant(numbers_or_zero::<3>(&body, key)?));
    Ok(Some(Thing {
        line: line(node),
        name: node.tag_name().name().into(),
        what,
        count: 1,
        trials: 1,
        position: constant("position")?,
        orientation: constant("orientation")?,
    }))
}

/// Reads a `<distribute>` element. Returns `None` if Xpuck's worlds have no equivalent.
fn distribute(node: &Node<'_, '_>) -> Result<Option<Thing>, String> {
    let Some(several) = child(node, "entity") else { return Ok(None) };
    let Some(one) = several.children().find(Node::is_element) else { return Ok(None) };
    let Some(what) = what(&one)? else { return Ok(None) };
    let rule = |name: &str| child(node, name).map_or(Ok(Place::Constant([0.0; 3])), |rule| place(&rule));
    Ok(Some(Thing {
        line: line(node),
        name: one.tag_name().name().into(),
        what,
        count: whole(&several, "quantity", MOST_THINGS)?,
        trials: if several.has_attribute("max_trials") { whole(&several, "max_trials", MOST_TRIALS)? } else { 1 },
        position: rule("position")?,
        orientation: rule("orientation")?,
    }))
}

/// Returns the kind of an element; `None` if Xpuck's worlds have no equivalent.
fn what(node: &Node<'_, '_>) -> Result<Option<What>, String> {
    let mass = || Ok::<_, String>(if movable(node)? { Some(positive::<1>(node, "mass")?[0]) } else { None });
    Ok(match node.tag_name().name() {
        "box" => {
            let [length, width, _] = positive::<3>(node, "size")?;
            Some(What::Box { size: [length, width], mass: mass()? })
        }
        "cylinder" => Some(What::Cylinder { radius: positive::<1>(node, "radius")?[0], mass: mass()? }),
        "light" => {
            let [intensity] = numbers_or_zero::<1>(node, "intensity")?;
            (intensity > 0.0).then_some(What::Light { intensity })
        }
        _ if child(node, "controller").is_some() => Some(What::Robot),
        _ => None,
    })
}

fn movable(node: &Node<'_, '_>) -> Result<bool, String> {
    match node.attribute("movable") {
        Some("true" | "1") => Ok(true),
        Some("false" | "0") => Ok(false),
        _ => Err(at(node, "needs movable=\"true\" or \"false\"")),
    }
}

/// Reads the rule for the position or the orientation of a `<distribute>`.
fn place(node: &Node<'_, '_>) -> Result<Place, String> {
    let three = |key| numbers::<3>(node, key);
    match node.attribute("method") {
        Some("constant") => Ok(Place::Constant(three("values")?)),
        Some("uniform") => {
            let (low, high) = (three("min")?, three("max")?);
            if (0..3).any(|i| low[i] > high[i]) {
                return Err(at(node, "has a min above its max; exchange them"));
            }
            Ok(Place::Uniform { low, high })
        }
        Some("gaussian") => Ok(Place::Gaussian { mean: three("mean")?, deviation: three("std_dev")? }),
        Some("grid") => {
            let layout = positive::<3>(node, "layout")?;
            if layout.iter().any(|n| n.fract() != 0.0 || *n > MOST_THINGS as f32) {
                return Err(at(
                    node,
                    &format!("has an invalid layout; it must be whole numbers from 1 to {MOST_THINGS}"),
                ));
            }
            let layout = layout.map(|n| n as usize);
            Ok(Place::Grid { centre: three("center")?, distances: three("distances")?, layout })
        }
        method => {
            let method = method.map_or("no method".into(), |method| format!("method=\"{method}\""));
            Err(at(node, &format!("has {method}; expected uniform, gaussian, constant or grid")))
        }
    }
}
