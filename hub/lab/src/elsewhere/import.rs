//! Arenas of ARGoS 3 as world files: `<arena>`, its boxes and cylinders, and how many robots there are.
//!
//! A box that does not move is its sides, as thin walls; a movable cylinder is a disc. What our worlds do not have is
//! left out, and each such thing is told.

use roxmltree::{Document, Node};
use std::fmt::Write;
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::model::{MAX_DISCS, MAX_WALLS};

/// Sides of a cylinder that does not move: as many as leave room for other walls, of which a world has 16.
const SIDES: usize = 6;
/// A box narrower than this is one wall along its middle, m.
const NARROW: f32 = 0.1;
/// Attributes of an element that are read; ARGoS's have a handful.
const MOST_ATTRIBUTES: usize = 256;
/// A wall nearer to the arena's edge than this is the edge, m.
const EDGE: f32 = 0.02;

/// A world file made from an arena, and what was left out, each in a line.
#[derive(Clone, Debug, PartialEq)]
pub struct Imported {
    /// The world file.
    pub text: String,
    /// What our worlds lack.
    pub notes: Vec<String>,
}

/// What is read, in the frame of the arena's centre.
#[derive(Default)]
struct Found {
    /// Walls, and half of what each is thick that is one line here.
    walls: Vec<([Vec2; 2], f32)>,
    discs: Vec<(Vec2, f32, f32)>,
    robots: usize,
    notes: Vec<String>,
}

/// Reads an experiment of ARGoS.
///
/// # Errors
/// What is no XML or has no arena, or a value that cannot be read, with its line.
pub fn argos(text: &str) -> Result<Imported, String> {
    // Names of attributes are compared each with each when XML is read.
    if let Some(most) =
        text.split('<').map(|piece| piece.matches('=').count()).max().filter(|most| *most > MOST_ATTRIBUTES)
    {
        return Err(format!("an element with {most} attributes; at most {MOST_ATTRIBUTES} are read"));
    }
    let document = Document::parse(text).map_err(|error| format!("no XML, which an .argos file is: {error}"))?;
    let root = document.root_element();
    let arena = root.children().find(|node| node.has_tag_name("arena"));
    let arena = arena.ok_or("no <arena> below the root; an .argos file of an experiment has one")?;
    let size = positive::<3>(&arena, "size")?;
    let centre = if arena.has_attribute("center") { numbers::<3>(&arena, "center")? } else { [0.0; 3] };
    let centre = vec2(centre[0], centre[1]);
    let mut found = Found::default();
    for node in arena.children().filter(Node::is_element) {
        entity(&node, centre, &mut found)?;
    }
    // The inner edge of walls around everything is the arena; ARGoS's own size is only that of its space.
    let (half, walls) = within(vec2(0.5 * size[0], 0.5 * size[1]), std::mem::take(&mut found.walls));
    if walls.len() > MAX_WALLS {
        return Err(format!("{} walls; a world has {MAX_WALLS} at most: leave boxes out", walls.len()));
    }
    if found.discs.len() > MAX_DISCS {
        return Err(format!("{} movable bodies; a world has {MAX_DISCS} discs at most", found.discs.len()));
    }
    if found.robots == 0 {
        found.notes.push("it has no robots that are counted here, so the world has one".into());
    }
    let mut told = std::collections::BTreeSet::new();
    found.notes.retain(|note| told.insert(note.clone()));
    Ok(Imported { text: world(half, &walls, &found), notes: found.notes })
}

/// Reads what stands in the arena.
fn entity(node: &Node<'_, '_>, centre: Vec2, found: &mut Found) -> Result<(), String> {
    let name = node.tag_name().name();
    let id = node.attribute("id").unwrap_or("without an id");
    match name {
        "box" => {
            let [length, width, _] = positive::<3>(node, "size")?;
            let (at, angle) = pose(node, centre)?;
            if movable(node)? {
                let radius = (length * width / std::f32::consts::PI).sqrt();
                found
                    .notes
                    .push(format!("the movable box {id} is a disc of as much floor: discs are all that moves here"));
                found.discs.push((at, radius, positive::<1>(node, "mass")?[0]));
            } else {
                found.walls.extend(sides(at, angle, length, width));
            }
        }
        "cylinder" => {
            let [radius] = positive::<1>(node, "radius")?;
            let (at, _) = pose(node, centre)?;
            if movable(node)? {
                found.discs.push((at, radius, positive::<1>(node, "mass")?[0]));
            } else {
                let corner = |i: usize| at + Vec2::unit(std::f32::consts::TAU * i as f32 / SIDES as f32) * radius;
                found.walls.extend((0..SIDES).map(|i| ([corner(i), corner(i + 1)], 0.0)));
                found.notes.push(format!("the cylinder {id} that does not move is {SIDES} walls around it"));
            }
        }
        "distribute" => {
            let several = node.children().find(|child| child.has_tag_name("entity"));
            let [quantity] = several.map_or(Ok([1.0]), |entity| positive::<1>(&entity, "quantity"))?;
            let what = several.and_then(|entity| entity.children().find(Node::is_element));
            match what.map(|what| what.tag_name().name().to_string()) {
                Some(kind) if !["box", "cylinder", "light"].contains(&kind.as_str()) => {
                    found.robots += quantity as usize
                }
                _ => found.notes.push("a <distribute> of things at random places is left out".into()),
            }
        }
        _ if node.children().any(|child| child.has_tag_name("controller")) => found.robots += 1,
        _ => found.notes.push(format!("<{name}> {id} is left out")),
    }
    Ok(())
}

/// The walls of a box: its middle if it is narrow, else its four sides.
fn sides(at: Vec2, angle: f32, length: f32, width: f32) -> Vec<([Vec2; 2], f32)> {
    let (along, across) = (Vec2::unit(angle) * (0.5 * length), Vec2::unit(angle).perp() * (0.5 * width));
    if width.min(length) <= NARROW {
        let half = if length >= width { along } else { across };
        return vec![([at - half, at + half], 0.5 * width.min(length))];
    }
    let corners = [at + along + across, at - along + across, at - along - across, at + along - across];
    (0..4).map(|i| ([corners[i], corners[(i + 1) % 4]], 0.0)).collect()
}

/// Half the arena that walls along all four sides leave, and the other walls. Without four such walls it is all there is.
fn within(half: Vec2, walls: Vec<([Vec2; 2], f32)>) -> (Vec2, Vec<[Vec2; 2]>) {
    let mut inner = half;
    for axis in [0, 1] {
        let of = |v: Vec2, axis: usize| if axis == 0 { v.x } else { v.y };
        let long = |([from, to], thick): &([Vec2; 2], f32)| {
            let (level, reach) = (of(*to - *from, axis).abs() < 1e-3, of(*to - *from, 1 - axis).abs());
            let inner = of(*from, axis) - of(*from, axis).signum() * thick;
            (level && reach >= of(half, 1 - axis)).then_some(inner)
        };
        let places: Vec<f32> = walls.iter().filter_map(long).collect();
        let nearest = |sign: f32| places.iter().map(|x| x * sign).filter(|x| *x > 0.0).fold(f32::INFINITY, f32::min);
        let (low, high) = (nearest(-1.0), nearest(1.0));
        if low.is_finite() && high.is_finite() {
            let edge = low.min(high);
            inner = if axis == 0 { vec2(edge, inner.y) } else { vec2(inner.x, edge) };
        }
    }
    let inside = |v: Vec2| v.x.abs() <= inner.x - EDGE && v.y.abs() <= inner.y - EDGE;
    let clipped = |v: Vec2| vec2(v.x.clamp(-inner.x, inner.x), v.y.clamp(-inner.y, inner.y));
    let stays = walls
        .into_iter()
        .map(|(wall, _)| wall)
        .filter(|[from, to]| inside(*from) || inside(*to) || inside((*from + *to) * 0.5));
    (inner, stays.map(|wall| wall.map(clipped)).collect())
}

/// The world file. What ARGoS leaves to loop functions, starts and task, is there to be changed.
fn world(half: Vec2, walls: &[[Vec2; 2]], found: &Found) -> String {
    let task = match (found.discs.is_empty(), found.robots) {
        (false, _) => "kind = \"transport-position\"",
        (true, 0 | 1) => "kind = \"coverage\"\ncell_m = 0.1",
        (true, _) => "kind = \"dispersion\"",
    };
    let margin = |x: f32| (x - 0.1).max(0.05);
    let mut text = format!(
        "# An arena of ARGoS. Its task and where its robots start are in loop functions, so these are to be changed.\n\
         robots = {}\n\n[arena]\nlength_m = {:?}\nwidth_m = {:?}\n\n[task]\n{task}\n\n[[start]]\n\
         x_m = [{:?}, {:?}]\ny_m = [{:?}, {:?}]\n",
        found.robots.max(1),
        2.0 * half.x,
        2.0 * half.y,
        -margin(half.x),
        margin(half.x),
        -margin(half.y),
        margin(half.y)
    );
    for (at, radius, mass) in &found.discs {
        let Vec2 { x, y } = at;
        let _ = write!(
            text,
            "\n[[disc]]\nx_m = [{x:?}, {x:?}]\ny_m = [{y:?}, {y:?}]\nradius_m = {radius:?}\nmass_kg = {mass:?}\n"
        );
    }
    for [from, to] in walls {
        let _ = write!(text, "\n[[wall]]\nfrom_m = [{:?}, {:?}]\nto_m = [{:?}, {:?}]\n", from.x, from.y, to.x, to.y);
    }
    text
}

/// Where an entity's body is, from the arena's centre, and its angle about the vertical, rad.
fn pose(node: &Node<'_, '_>, centre: Vec2) -> Result<(Vec2, f32), String> {
    let Some(body) = node.children().find(|child| child.has_tag_name("body")) else {
        return Err(at(node, "has no <body>"));
    };
    let place = if body.has_attribute("position") { numbers::<3>(&body, "position")? } else { [0.0; 3] };
    let turned = if body.has_attribute("orientation") { numbers::<3>(&body, "orientation")? } else { [0.0; 3] };
    Ok((vec2(place[0], place[1]) - centre, turned[0].to_radians()))
}

fn movable(node: &Node<'_, '_>) -> Result<bool, String> {
    match node.attribute("movable") {
        Some("true" | "1") => Ok(true),
        Some("false" | "0") => Ok(false),
        _ => Err(at(node, "needs movable=\"true\" or \"false\"")),
    }
}

/// Finite numbers with commas between them.
fn numbers<const N: usize>(node: &Node<'_, '_>, key: &str) -> Result<[f32; N], String> {
    let text = node.attribute(key).ok_or_else(|| at(node, &format!("needs {key}")))?;
    let parsed: Result<Vec<f32>, _> = text.split(',').map(|part| part.trim().parse::<f32>()).collect();
    let numbers = parsed.ok().filter(|numbers| numbers.iter().all(|x| x.is_finite()));
    let numbers = numbers.and_then(|numbers| <[f32; N]>::try_from(numbers).ok());
    numbers.ok_or_else(|| at(node, &format!("{key}=\"{text}\" is not {N} numbers with commas between them")))
}

/// The same above 0, as lengths and masses are.
fn positive<const N: usize>(node: &Node<'_, '_>, key: &str) -> Result<[f32; N], String> {
    let numbers = numbers::<N>(node, key)?;
    match numbers.iter().all(|x| *x > 0.0) {
        true => Ok(numbers),
        false => Err(at(node, &format!("{key} has a number that is not above 0"))),
    }
}

/// What is wrong with an element, and its line.
fn at(node: &Node<'_, '_>, what: &str) -> String {
    let line = node.document().text_pos_at(node.range().start).row;
    format!("line {line}: <{}> {what}", node.tag_name().name())
}
