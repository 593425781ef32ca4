//! Loop functions of an ARGoS file: known missions, and robots that the functions place.

use super::automode::{self, Experiment, Found};
use super::mg1;
use super::mission::Mission;
use super::scene::{MOST_TRIALS, Place, Scene, Thing, What};
use super::xml::{at, child, line, positive, whole};
use roxmltree::Node;
use xpuck_kernels::model::MAX_ROBOTS;

/// Length of a run if the file has none (s).
const USUAL_SECONDS: f32 = 120.0;
/// Label of the loop functions of Xpuck's own exports. They have no mission of the file's floor.
const OWN_LABEL: &str = "xpuck_loop";
/// Maximum length of a label that is shown.
const LONGEST_LABEL: usize = 100;

/// Adds the mission of the loop functions to a scene, with the robots and walls that they place.
///
/// # Errors
/// A parameter of the loop functions is invalid.
pub(super) fn apply(root: &Node<'_, '_>, scene: &mut Scene) -> Result<(), String> {
    let functions = child(root, "loop_functions");
    let params = functions.and_then(|functions| child(&functions, "params"));
    let number = params.filter(|params| params.has_attribute("number_robots"));
    let number = number.map(|params| whole(&params, "number_robots", MAX_ROBOTS)).transpose()?;
    let is_robot = |thing: &Thing| matches!(thing.what, What::Robot);
    let placed: usize = scene.things.iter().filter(|thing| is_robot(thing)).map(|thing| thing.count).sum();
    let robots = if placed > 0 { placed } else { number.unwrap_or(1) };
    let seconds = scene.seconds.unwrap_or(USUAL_SECONDS);
    let label = functions.and_then(|functions| Some((functions, functions.attribute("label")?)));
    if let Some((functions, label)) = label
        && label.chars().count() > LONGEST_LABEL
    {
        return Err(at(&functions, &format!("has a label with more than {LONGEST_LABEL} characters")));
    }
    let description = params.and_then(|params| Some((params, params.attribute("mission_description")?)));
    let (is_mg1, found) = match (label, description) {
        (Some((_, label)), Some((params, text))) if label.starts_with("generic_") => {
            let mission = mg1::mission(text, robots).map_err(|error| at(&params, &error))?;
            (true, Found::Mission(Box::new(mission)))
        }
        (Some((_, label)), _) => (false, automode::mission(label, &Experiment { params, robots, seconds })?),
        (None, _) => (false, Found::Unknown),
    };
    match (found, label) {
        (Found::Mission(mission), Some((functions, label))) => {
            if let Some(number) = number.filter(|number| *number != robots && !is_mg1) {
                let line = params.map_or(0, |params| line(&params));
                scene.notes.push(format!(
                    "line {line}: number_robots is {number}, but the arena has {robots} robots; the world has {robots}"
                ));
            }
            add(scene, *mission, label, line(&functions), robots);
        }
        (Found::NotImported(advice), Some((functions, label))) => scene.notes.push(format!(
            "line {}: the loop functions {label} are known, but their mission is not imported: {advice}",
            line(&functions)
        )),
        (_, Some((_, OWN_LABEL))) => {}
        (_, Some((functions, label))) => scene.notes.push(format!(
            "line {}: the loop functions {label} are unknown, so their floor, walls and score are missing in the world",
            line(&functions)
        )),
        _ => {}
    }
    if scene.mission.is_none() {
        let radius = params.filter(|params| params.has_attribute("dist_radius"));
        let radius = radius.map(|params| positive::<1>(&params, "dist_radius")).transpose()?.map(|[radius]| radius);
        place_robots(scene, &functions, &params, robots, radius, number.is_some());
    }
    Ok(())
}

/// Adds a known mission to a scene. Its loop functions place all robots.
fn add(scene: &mut Scene, mut mission: Mission, label: &str, line: u32, robots: usize) {
    mission.comments.push(format!("Imported from ARGoS, loop functions {label}."));
    if scene.things.iter().any(|thing| matches!(thing.what, What::Robot)) {
        scene.notes.push(format!(
            "line {line}: the loop functions {label} place the robots; their places in the arena are ignored"
        ));
        scene.things.retain(|thing| !matches!(thing.what, What::Robot));
    }
    scene.things.push(robots_of(line, robots, Place::Anywhere));
    for (centre, size) in &mission.boxes {
        scene.things.push(Thing {
            line,
            name: "box".into(),
            what: What::Box { size: *size, mass: None },
            count: 1,
            trials: 1,
            position: Place::Constant([centre.x, centre.y, 0.0]),
            orientation: Place::Constant([0.0; 3]),
        });
    }
    scene.mission = Some(mission);
}

/// Adds the robots of unknown loop functions. If the file has no robots, or has several at one place, they start within
/// the radius of AutoMoDe's library. Without this radius, a file without robots gets one. `robots` is the number of
/// robots in the world.
fn place_robots(
    scene: &mut Scene,
    functions: &Option<Node<'_, '_>>,
    params: &Option<Node<'_, '_>>,
    robots: usize,
    radius: Option<f32>,
    has_number: bool,
) {
    let line_of = |node: &Option<Node<'_, '_>>| node.as_ref().map_or(0, line);
    let position = radius.map_or(Place::Anywhere, |radius| Place::Disc { radius });
    let has_robots = scene.things.iter().any(|thing| matches!(thing.what, What::Robot));
    if has_number && (!has_robots || (radius.is_some() && share_places(scene))) {
        scene.things.retain(|thing| !matches!(thing.what, What::Robot));
        scene.things.push(robots_of(line_of(params), robots, position));
        scene.notes.push(format!(
            "line {}: {robots} robots from loop functions: e-pucks placed by number_robots and dist_radius, as in AutoMoDe",
            line_of(params)
        ));
    } else if !has_robots {
        scene.things.push(robots_of(0, 1, Place::Anywhere));
        let why = match functions {
            Some(functions) => {
                format!("line {}: loop functions may create robots; the file has no robots", line(functions))
            }
            None => "the file has no robots".into(),
        };
        scene.notes.push(why + ", so the world gets one; set `robots` and [[start]]");
    }
}

/// Returns whether the file places two robots at the same place, because its loop functions move them.
fn share_places(scene: &Scene) -> bool {
    let robots = scene.things.iter().filter(|thing| matches!(thing.what, What::Robot));
    let mut places: Vec<[u32; 3]> = robots
        .filter_map(|thing| match thing.position {
            Place::Constant(place) => Some(place.map(f32::to_bits)),
            _ => None,
        })
        .collect();
    places.sort_unstable();
    places.windows(2).any(|pair| pair[0] == pair[1])
}

/// E-pucks with free headings.
fn robots_of(line: u32, count: usize, position: Place) -> Thing {
    Thing {
        line,
        name: String::new(),
        what: What::Robot,
        count,
        trials: MOST_TRIALS,
        position,
        orientation: Place::Uniform { low: [0.0; 3], high: [360.0, 0.0, 0.0] },
    }
}
