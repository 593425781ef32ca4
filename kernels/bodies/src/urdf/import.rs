//! Import of a body from a URDF file.
//!
//! Only bodies of unit cubes that PRIF can build are accepted. Other content is rejected, never rounded. Files that
//! were rewritten by other programs are accepted if they differ only in omitted defaults of the format, materials at
//! the top level, or foreign elements such as `<gazebo>`.

use super::names::bare;
use super::{MAX_URDF, START, export};
use crate::part::{Axis, Direction, Part};
use crate::prif::{MAX_DEPTH, MAX_PARTS, Prif};
use crate::{BodyError, Plan};
use roxmltree::{Document, Node};
use std::collections::BTreeMap;

/// Maximum number of attributes of an element. URDF elements have only a few attributes.
const MAX_ATTRIBUTES: usize = 64;

/// Parses a URDF. Names identify the instructions. The key of each instruction is its direction, because URDF has no
/// keys.
///
/// # Errors
/// Returns an error with line and column for each of these faults:
/// - text that is not XML
/// - a body that does not consist of unit cubes
/// - joints that form a cycle or leave a part unconnected
/// - names that do not follow PRIF
///
/// Text that is too long, and an element with too many attributes, are rejected without line and column.
pub fn import(text: &str) -> Result<Prif, BodyError> {
    if text.len() > MAX_URDF {
        return Err(BodyError::new("the URDF", format_args!("{} bytes; at most {MAX_URDF} are allowed", text.len())));
    }
    // The parser compares each attribute of an element with all others, so an element with very many attributes would
    // take too long.
    if text.split('<').any(|element| element.bytes().filter(|byte| *byte == b'=').count() > MAX_ATTRIBUTES) {
        return Err(BodyError::new("the URDF", format_args!("an element has more than {MAX_ATTRIBUTES} attributes")));
    }
    let document = Document::parse(text).map_err(|error| {
        let at = error.pos();
        BodyError::at(at.row, at.col, format_args!("not XML: {error}"))
    })?;
    let root = document.root_element();
    if root.tag_name().name() != "robot" {
        return Err(error(root, format_args!("found <{}>; a URDF must begin with <robot>", root.tag_name().name())));
    }
    let mut links = BTreeMap::new();
    let mut joints = Vec::new();
    let parts = root.children().filter(|node| node.has_tag_name("link")).count();
    if parts > MAX_PARTS {
        return Err(error(root, format_args!("the URDF has {parts} links; at most {MAX_PARTS} are allowed")));
    }
    let mut faults = Vec::new();
    for node in root.children().filter(Node::is_element) {
        match node.tag_name().name() {
            "link" => match read_link(node) {
                Ok(link) if links.insert(link.name, link).is_some() => {
                    faults.push(error(node, format_args!("duplicate link {}", link.name)));
                }
                Ok(_) => {}
                Err(fault) => faults.push(fault),
            },
            "joint" => match read_joint(node) {
                Ok(joint) => joints.push(joint),
                Err(fault) => faults.push(fault),
            },
            // Ignores materials, transmissions, and elements of other programs.
            _ => {}
        }
    }
    if !faults.is_empty() {
        return Err(all_faults(root, faults));
    }
    if links.is_empty() {
        return Err(error(root, "<link> is missing; a body must have at least one link"));
    }
    assemble(root, &links, &joints)
}

/// Combines several faults to one error, which lists up to ten faults. A single fault is returned unchanged.
fn all_faults(root: Node, mut faults: Vec<BodyError>) -> BodyError {
    const SHOWN: usize = 10;
    if let [_] = faults[..] {
        return faults.swap_remove(0);
    }
    let more = match faults.len().saturating_sub(SHOWN) {
        0 => String::new(),
        more => format!("; and {more} more"),
    };
    let told: Vec<String> = faults.iter().take(SHOWN).map(|fault| format!("{}: {}", fault.place, fault.rule)).collect();
    error(root, format_args!("only URDF written by Xpuck or pyro-corpus is supported: {}{more}", told.join("; ")))
}

#[derive(Clone, Copy)]
struct Link<'a, 'i> {
    node: Node<'a, 'i>,
    name: &'a str,
    id: u32,
    left: u32,
    part: Part,
    /// Centre in the link's frame (half metres).
    centre: [i32; 3],
}

struct Joint<'a, 'i> {
    node: Node<'a, 'i>,
    parent: &'a str,
    child: &'a str,
    turns: bool,
    /// Rotation axis; `None` for a fixed joint for which the file gives no axis.
    axis: Option<Axis>,
    /// Position in the parent's frame (half metres).
    origin: [i32; 3],
}

fn error(node: Node, rule: impl std::fmt::Display) -> BodyError {
    let at = node.document().text_pos_at(node.range().start);
    BodyError::at(at.row, at.col, rule)
}

fn child<'a, 'i>(node: Node<'a, 'i>, name: &str) -> Result<Node<'a, 'i>, BodyError> {
    let mut found = node.children().filter(|child| child.is_element() && child.tag_name().name() == name);
    let first =
        found.next().ok_or_else(|| error(node, format_args!("<{}> has no <{name}>", node.tag_name().name())))?;
    match found.next() {
        Some(second) => Err(error(second, format_args!("duplicate <{name}>; only one is allowed"))),
        None => Ok(first),
    }
}

fn attribute<'a>(node: Node<'a, '_>, name: &str) -> Result<&'a str, BodyError> {
    node.attribute(name)
        .ok_or_else(|| error(node, format_args!("<{}> has no attribute {name}", node.tag_name().name())))
}

/// Parses an attribute that consists of three numbers, and returns the numbers times `per`. Returns an error if a
/// product is not an integer or is too large.
fn three(node: Node, name: &str, per: f64) -> Result<[i32; 3], BodyError> {
    let text = attribute(node, name)?;
    let refuse = || error(node, format_args!("{name}=\"{text}\" does not fit the lattice of unit cubes"));
    let mut numbers = text.split_ascii_whitespace();
    let mut out = [0; 3];
    for value in &mut out {
        let number: f64 = numbers.next().and_then(|word| word.parse().ok()).ok_or_else(refuse)?;
        let scaled = number * per;
        if scaled.round() != scaled || scaled.abs() > 4.0 * MAX_PARTS as f64 {
            return Err(refuse());
        }
        *value = scaled as i32;
    }
    if numbers.next().is_some() { Err(refuse()) } else { Ok(out) }
}

fn unturned(node: Node) -> Result<(), BodyError> {
    match node.attribute("rpy") {
        Some(_) if three(node, "rpy", 1.0)? != [0; 3] => {
            Err(error(node, "rotated frames are not supported; rpy must be 0 0 0"))
        }
        _ => Ok(()),
    }
}

fn read_link<'a, 'i>(node: Node<'a, 'i>) -> Result<Link<'a, 'i>, BodyError> {
    let name = attribute(node, "name")?;
    let (id, left, brain) = read_name(bare(name)).ok_or_else(|| {
        error(node, format_args!("the link name \"{name}\" must be <id>r<repetitions left>, as in PRIF"))
    })?;
    let material = child(child(node, "visual")?, "material")?;
    let colour = material.attribute("name").unwrap_or_default();
    let part = Part::ALL.into_iter().find(|part| part.colour_name() == colour).or_else(|| by_colour(material));
    let part = part.ok_or_else(|| error(material, format_args!("\"{colour}\" is not the colour of a part class")))?;
    if brain != (part == Part::Brain) {
        return Err(error(
            node,
            format_args!("{name} is {colour}; the names of brains (Black), and only these, must end in B"),
        ));
    }
    let mut centres = Vec::new();
    for about in ["inertial", "visual", "collision"] {
        let about = child(node, about)?;
        let origin = child(about, "origin")?;
        unturned(origin)?;
        centres.push(three(origin, "xyz", 2.0)?);
        if about.tag_name().name() == "inertial" {
            let mass = child(about, "mass")?;
            if attribute(mass, "value")?.parse() != Ok(1.0) {
                return Err(error(mass, "the mass of a cube must be 1 kg"));
            }
        } else {
            let geometry = child(about, "geometry")?;
            let shape = child(geometry, "box")?;
            if three(shape, "size", 1.0)? != [1; 3] {
                return Err(error(shape, "the box must be a unit cube"));
            }
        }
    }
    if centres.iter().any(|centre| *centre != centres[0]) {
        return Err(error(node, "inertial, visual and collision of the link must have the same centre"));
    }
    Ok(Link { node, name: bare(name), id, left, part, centre: centres[0] })
}

/// Returns the class for a material's colour; `None` if no class has this colour. The material's name is not used,
/// because some programs rename materials.
fn by_colour(material: Node) -> Option<Part> {
    let rgba = material.children().find(|child| child.has_tag_name("color"))?.attribute("rgba")?;
    let numbers: Vec<f64> = rgba.split_ascii_whitespace().map_while(|word| word.parse().ok()).collect();
    let alike = |part: &Part| part.colour().iter().zip(&numbers).all(|(a, b)| (a - b).abs() < 0.01);
    (numbers.len() >= 3).then(|| Part::ALL.into_iter().find(alike)).flatten()
}

/// Parses a name such as `12r3` or `0r1B` and returns the id, the repetitions left, and whether the part is a brain.
fn read_name(name: &str) -> Option<(u32, u32, bool)> {
    let (bare, brain) = name.strip_suffix('B').map_or((name, false), |bare| (bare, true));
    let (id, left) = bare.split_once('r')?;
    Some((id.parse().ok()?, left.parse().ok()?, brain))
}

fn read_joint<'a, 'i>(node: Node<'a, 'i>) -> Result<Joint<'a, 'i>, BodyError> {
    let turns = match attribute(node, "type")? {
        // A continuous joint is accepted, because the limits -pi and pi of a revolute joint allow a full turn.
        "revolute" | "continuous" => true,
        "fixed" => false,
        other => {
            return Err(error(node, format_args!("the joint type is {other}; it must be revolute or fixed")));
        }
    };
    let parent = attribute(child(node, "parent")?, "link")?;
    let child_name = attribute(child(node, "child")?, "link")?;
    let origin = child(node, "origin")?;
    unturned(origin)?;
    let axis = match node.children().find(|child| child.has_tag_name("axis")) {
        // A missing axis means X, the default of the format. A fixed joint needs no axis.
        None => turns.then_some(Axis::X),
        Some(about) => Some(match three(about, "xyz", 1.0)? {
            [1, 0, 0] => Axis::X,
            [0, 1, 0] => Axis::Y,
            [0, 0, 1] => Axis::Z,
            _ => return Err(error(about, "the axis must be x, y or z")),
        }),
    };
    if attribute(node, "name")? != format!("{parent}_{child_name}") {
        return Err(error(node, format_args!("the joint name must be {parent}_{child_name}, as in PRIF")));
    }
    let (parent, child_name) = (bare(parent), bare(child_name));
    Ok(Joint { node, parent, child: child_name, turns, axis, origin: three(origin, "xyz", 2.0)? })
}

fn assemble(robot: Node, links: &BTreeMap<&str, Link>, joints: &[Joint]) -> Result<Prif, BodyError> {
    let mut inward: BTreeMap<&str, &Joint> = BTreeMap::new();
    let mut outward: BTreeMap<&str, Vec<&Joint>> = BTreeMap::new();
    for joint in joints {
        for name in [joint.parent, joint.child] {
            if !links.contains_key(name) {
                return Err(error(joint.node, format_args!("link {name} does not exist")));
            }
        }
        if inward.insert(joint.child, joint).is_some() {
            return Err(error(joint.node, format_args!("{} has two parents; a body must be a tree", joint.child)));
        }
        outward.entry(joint.parent).or_default().push(joint);
    }
    let mut roots = links.values().filter(|link| !inward.contains_key(link.name));
    let root = roots.next().ok_or_else(|| error(robot, "all links have a parent: the joints form a cycle"))?;
    if let Some(second) = roots.next() {
        return Err(error(second.node, format_args!("{} has no parent joint; the root is {}", second.name, root.name)));
    }
    let tree = Tree { links, outward };
    let mut seen = 0;
    let prif = tree.instruction(root, None, 0, &mut seen)?;
    if seen < links.len() {
        return Err(error(
            robot,
            format_args!("{} of {} links are connected to the root; the others form a cycle", seen, links.len()),
        ));
    }
    // Compares names and positions with those of the plan, so that only `Plan` implements the rules for them.
    let plan = Plan::new(&prif)?;
    for (index, part) in plan.parts().iter().enumerate() {
        let node = links
            .get(part.name.as_str())
            .ok_or_else(|| error(root.node, format_args!("names do not follow PRIF: {} is missing", part.name)))?;
        if node.centre != export::centre(&plan, index) {
            return Err(error(node.node, format_args!("the centre of {} is not at its position in PRIF", part.name)));
        }
    }
    Ok(prif)
}

struct Tree<'t, 'a, 'i> {
    links: &'t BTreeMap<&'a str, Link<'a, 'i>>,
    outward: BTreeMap<&'a str, Vec<&'t Joint<'a, 'i>>>,
}

impl Tree<'_, '_, '_> {
    fn children(&self, name: &str) -> &[&Joint<'_, '_>] {
        self.outward.get(name).map_or(&[], Vec::as_slice)
    }

    /// Reads the instruction that begins at the link `first`. The joint `by` leads to this link; `None` for the root.
    /// `seen` counts the links read.
    fn instruction(&self, first: &Link, by: Option<&Joint>, depth: usize, seen: &mut usize) -> Result<Prif, BodyError> {
        if depth == MAX_DEPTH {
            return Err(error(first.node, format_args!("instructions are nested deeper than {MAX_DEPTH} levels")));
        }
        let direction = match by {
            None => {
                *seen += 1;
                let step = [0, 1, 2].map(|k| first.centre[k] - START[k]);
                Direction::of_vector(step)
                    .ok_or_else(|| error(first.node, "the root's centre must be half an edge from 0 0 2"))?
            }
            Some(joint) => self.check(first, joint, seen)?,
        };
        // The root has no joint, so the axis of its chain is that of the second part. A root chain of a single part has
        // no axis in the file.
        let mut axis = by.and_then(|joint| joint.axis);
        let mut last = first;
        for left in (1..first.left).rev() {
            let joint = match self.children(last.name) {
                [joint] => *joint,
                _ => {
                    return Err(error(
                        last.node,
                        format_args!("{} must be followed by exactly one part of its chain", last.name),
                    ));
                }
            };
            let link = &self.links[joint.child];
            let along = self.check(link, joint, seen)?;
            let alike = link.id == first.id && link.left == left && link.part == first.part && along == direction;
            let other_axis = axis.zip(joint.axis).is_some_and(|(axis, other)| axis != other);
            if !alike || other_axis {
                return Err(error(
                    link.node,
                    format_args!("{} is not the next part of {}'s chain", link.name, first.name),
                ));
            }
            axis = axis.or(joint.axis);
            last = link;
        }
        let mut next = Vec::new();
        for joint in self.children(last.name) {
            let prif = self.instruction(&self.links[joint.child], Some(joint), depth + 1, seen)?;
            next.push((prif.direction, prif));
        }
        let axis = axis.unwrap_or(Axis::X);
        Ok(Prif { id: first.id, part: first.part, direction, repetitions: first.left, axis, next })
    }

    /// Checks that a joint is at the position given by PRIF. Returns the direction of the joint's child.
    fn check(&self, link: &Link, joint: &Joint, seen: &mut usize) -> Result<Direction, BodyError> {
        *seen += 1;
        if joint.turns != link.part.turns() {
            let kind = if link.part.turns() { "revolute" } else { "fixed" };
            return Err(error(
                joint.node,
                format_args!("{} is {}, so its joint must be {kind}", link.name, link.part.colour_name()),
            ));
        }
        let direction = Direction::of_vector(link.centre).ok_or_else(|| {
            error(link.node, format_args!("the centre of {} is not half an edge from its joint", link.name))
        })?;
        let from = self.links[joint.parent].centre;
        if [0, 1, 2].map(|k| from[k] + link.centre[k]) != joint.origin {
            return Err(error(joint.node, format_args!("the joint of {} is not on its parent's side", link.name)));
        }
        Ok(direction)
    }
}
