//! World files in TOML. Every key is described in docs/worlds.md. Text editors show the comments of the fields below as
//! descriptions of the keys.

mod boxes;
mod regions;
mod rules;

use crate::robot_model::{self, Loader, MessageKeys, RobotEntry, RobotSpec};
use boxes::BoxEntry;
use regions::{FloorEntry, Regions, ZoneEntry};
use rules::{LatchEntry, LotEntry, Rules};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::path::Path;
use std::sync::Arc;
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::model;
use xpuck_kernels::world::conditions::Conditions;
use xpuck_kernels::world::physics::Physics;
use xpuck_kernels::world::senses::Patch;
use xpuck_kernels::world::senses::camera_model::{CameraModel, LONGEST_DELAY};
use xpuck_kernels::world::senses::light::{DARK_AMBIENT, Light, Lighting};
use xpuck_kernels::world::senses::tags::{Tag, Tags, USUAL_RANGE};
use xpuck_kernels::world::spec::{Area, Disc, Start, half_arena};
use xpuck_kernels::world::task::{Region, Task};
use xpuck_kernels::world::wall::Wall;
use xpuck_kernels::world::zone::{Zone, ZoneShape};
use xpuck_kernels::world::{Colour, Pose, Shape, WorldSpec};
use xpuck_wire::file::{self, FileError};

/// Maximum length of a world file (bytes).
const MAX_TEXT: usize = 64 * 1024;

/// Position: x and y (m).
pub type Place = [f32; 2];

/// World file.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct WorldFile {
    /// Number of robots, 1 to 256.
    robots: usize,
    /// Task of the robots.
    task: TaskEntry,
    /// Arena, with its centre at the origin.
    #[serde(default)]
    arena: ArenaEntry,
    /// Robots: the name of a model, a file, or the keys of a model. Default: `xpuck`.
    #[serde(default)]
    robot: RobotEntry,
    /// Masses, friction and noise.
    #[serde(default)]
    physics: PhysicsEntry,
    /// Floor outside of the painted regions, and errors of the ground sensors.
    #[serde(default)]
    floor: FloorEntry,
    /// Named regions of the floor, at most 32. Entries with the same name are one region.
    #[serde(default)]
    region: Vec<ZoneEntry>,
    /// Random choices that are drawn once per run, at most 16. Only for objectives.
    #[serde(default)]
    lot: Vec<LotEntry>,
    /// Values that are 0 at the start and become 1 when a condition holds, at most 16. Only for objectives.
    #[serde(default)]
    latch: Vec<LatchEntry>,
    /// Start positions of the robots. Run i uses the entry with index i modulo the number of entries.
    start: Vec<StartEntry>,
    /// Passive discs.
    #[serde(default)]
    disc: Vec<DiscEntry>,
    /// Thin straight walls inside the arena, in addition to its outer wall.
    #[serde(default)]
    wall: Vec<WallEntry>,
    /// Boxes inside the arena. Each consists of four walls.
    #[serde(default, rename = "box")]
    boxes: Vec<BoxEntry>,
    /// Coloured patches on the arena's wall.
    #[serde(default)]
    patch: Vec<PatchEntry>,
    /// Reading of every light sensor when the lights are off, as a fraction of full scale, 0 to 1. Default: 0.952, or
    /// 0.1 in a world with lights.
    room_light: Option<f32>,
    /// Lights above the arena, at most 4.
    #[serde(default)]
    light: Vec<LightEntry>,
    /// Maximum distance at which cameras detect tags (m), 0.05 to 10.
    #[serde(default = "tag_range")]
    tag_range_m: f32,
    /// Tags that cameras can detect, at most 8.
    #[serde(default)]
    tag: Vec<TagEntry>,
    /// Camera imperfections, instead of those of the robot model.
    #[serde(default)]
    camera: CameraKeys,
    /// Model of the messages between robots, instead of that of the robot model. By default, a robot receives the
    /// messages of all robots within 0.5 m, without delay.
    messages: Option<MessageKeys>,
}

// Variants have braces, because serde would accept unknown keys in unit variants.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, tag = "kind", rename_all = "kebab-case")]
enum TaskEntry {
    Transport {},
    TransportOnce {},
    TransportPosition {},
    Aggregation {
        range_m: f32,
    },
    Dispersion {},
    Coverage {
        cell_m: f32,
    },
    Foraging {
        nest: RegionEntry,
        food: RegionEntry,
    },
    Objective {
        score: String,
        worst: f32,
        best: f32,
        end: Option<String>,
        /// Whether the first disc is put back near the centre when it touches an x wall.
        #[serde(default)]
        relocate_disc: bool,
    },
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, tag = "shape", rename_all = "kebab-case")]
enum RegionEntry {
    Rectangle { x_m: [f32; 2], y_m: [f32; 2] },
    Disc { at_m: Place, radius_m: f32 },
    Beyond { at_m: Place, radius_m: f32 },
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct CameraKeys {
    /// Additional age of the images that controllers see (s), 0 to 0.4.
    #[schemars(range(min = 0.0, max = LONGEST_DELAY))]
    delay_s: Option<f32>,
    /// Probability that an image shows nothing in one of its three segments, 0 to 1.
    #[schemars(range(min = 0.0, max = 1.0))]
    misses: Option<f32>,
}

#[derive(Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct ArenaEntry {
    /// Length along x (m), 0.3 to 20. Default: 2. For more than 16 robots, the default is larger, so that the area per
    /// robot is constant.
    length_m: Option<f32>,
    /// Width along y (m), 0.3 to 20. Default: 1.5. For more than 16 robots, the default is larger, so that the area
    /// per robot is constant.
    width_m: Option<f32>,
    /// Regular polygon of walls around the centre; the arena is the square around it.
    polygon: Option<PolygonShape>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PolygonShape {
    /// Number of sides, 3 to 16.
    sides: usize,
    /// Distance from the centre to the middle of each side (m), 0.15 to 9. The middle of one side is at +x.
    inradius_m: f32,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
struct PhysicsEntry {
    /// Mass of a robot (kg), 0.001 to 10. Default: that of the robot model.
    robot_mass_kg: Option<f32>,
    /// Friction coefficient of a robot on the floor, 0 to 10. Default: that of the robot model.
    robot_friction: Option<f32>,
    /// Friction coefficient between bodies, and between bodies and walls, 0 to 10.
    body_friction: f32,
    /// Coefficient of restitution between bodies, and between bodies and walls, 0 to 1.
    restitution: f32,
    /// Motion noise parameters alpha_1, alpha_2 and alpha_3 (each 0 to 1). They scale the noise of distance, turn and
    /// drift respectively. Default: those of the robot model.
    noise: Option<[f32; 3]>,
}

impl Default for PhysicsEntry {
    fn default() -> PhysicsEntry {
        let Physics { mu_bodies, restitution, .. } = Physics::default();
        let (robot_mass_kg, robot_friction, noise) = (None, None, None);
        PhysicsEntry { robot_mass_kg, robot_friction, body_friction: mu_bodies, restitution, noise }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct StartEntry {
    /// Range of x in which the robots' centres are placed at the start (m).
    x_m: Option<[f32; 2]>,
    /// Range of y in which the robots' centres are placed at the start (m).
    y_m: Option<[f32; 2]>,
    /// Start pose of each robot. The poses replace the ranges `x_m` and `y_m`.
    pose: Option<Vec<PoseEntry>>,
    /// Name of the region in which the robots start; replaces the ranges.
    region: Option<String>,
    /// Condition under which the start exists: a formula of lots. Default: always.
    when: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PoseEntry {
    /// Position: x and y (m).
    at_m: Place,
    /// Heading, counter-clockwise from +x (degrees).
    #[serde(default)]
    heading_deg: f32,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DiscEntry {
    /// Range of x of the disc's centre at the start (m).
    x_m: [f32; 2],
    /// Range of y of the disc's centre at the start (m).
    y_m: [f32; 2],
    /// Radius (m), 0.02 to 1.
    #[serde(default = "frisbee_radius")]
    radius_m: f32,
    /// Mass (kg), 0.001 to 10.
    #[serde(default = "frisbee_mass")]
    mass_kg: f32,
    /// Friction coefficient on the floor, 0 to 10.
    #[serde(default = "frisbee_friction")]
    friction: f32,
    /// Colour of the disc in camera images.
    #[serde(default = "blue")]
    colour: ColourEntry,
}

fn frisbee_radius() -> f32 {
    model::FRISBEE_RADIUS
}

fn frisbee_mass() -> f32 {
    model::FRISBEE_MASS
}

fn frisbee_friction() -> f32 {
    model::MU_FRISBEE
}

fn blue() -> ColourEntry {
    ColourEntry::Blue
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct WallEntry {
    /// First end of the wall: x and y (m).
    from_m: Place,
    /// Second end of the wall: x and y (m).
    to_m: Place,
    /// Condition under which the wall exists: a formula of lots, latches and quantities. Default: always.
    when: Option<String>,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct PatchEntry {
    /// Centre of the patch on the arena's wall: x and y (m).
    at_m: Place,
    /// Length of the patch along the wall (m), 0.01 to 20.
    length_m: f32,
    /// Colour of the patch in camera images.
    colour: ColourEntry,
    /// Condition under which the patch exists: a formula of lots, latches and quantities. Default: always.
    when: Option<String>,
}

/// Light above the arena.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct LightEntry {
    /// Position: x and y (m).
    pub at_m: Place,
    /// Height of the light above the robots' light sensors (m), 0.05 to 5.
    #[serde(default = "light_height")]
    pub height_m: f32,
    /// Brightness of the light, 0 to 100. It is the reading of a sensor that faces the light from a distance of 1 m,
    /// as a fraction of full scale.
    pub brightness: f32,
    /// Condition under which the light is on: a formula of lots, latches and quantities. Default: always.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub when: Option<String>,
}

fn light_height() -> f32 {
    0.1
}

fn tag_range() -> f32 {
    USUAL_RANGE
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct TagEntry {
    /// Position: x and y (m).
    at_m: Place,
    /// Direction of the tag's face, counter-clockwise from +x (degrees).
    facing_deg: f32,
}

/// Returns the lighting of a world from the keys of its file. `room` is the reading of a light sensor when the lights
/// are off, as a fraction of full scale. `None` selects the default.
pub fn lighting(room: Option<f32>, lights: &[LightEntry]) -> Lighting {
    let usual = if lights.is_empty() { Lighting::default().room } else { DARK_AMBIENT };
    let light = |l: &LightEntry| Light { at: place(l.at_m), height: l.height_m, brightness: l.brightness };
    Lighting { room: room.unwrap_or(usual), lights: lights.iter().map(light).collect() }
}

#[derive(Clone, Copy, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum ColourEntry {
    Red,
    Green,
    Blue,
}

/// Reads a world file and validates the world.
pub fn read(path: &Path) -> Result<WorldSpec, FileError> {
    read_with(path, None)
}

/// Performs [`read`] with other robots than those of the file, if `robot` is given.
pub fn read_with(path: &Path, robot: Option<&RobotSpec>) -> Result<WorldSpec, FileError> {
    let text = file::text(path, file::MAX_TOML)?;
    let folder = path.parent().unwrap_or(Path::new(""));
    let load = |name: &str| robot_model::read_file(&folder.join(name));
    parse_with(&path.display().to_string(), &text, robot, &load)
}

/// Parses a world file's text and validates the world. `name` identifies the text in errors. A robot model in a file is
/// rejected.
pub fn parse(name: &str, text: &str) -> Result<WorldSpec, FileError> {
    let load = |file: &str| Err(format!("robot model `{file}` is a file, which cannot be read here"));
    parse_with(name, text, None, &load)
}

/// Reads the robots of a world file.
pub fn robot(path: &Path) -> Result<RobotSpec, FileError> {
    let name = path.display().to_string();
    let text = file::text(path, file::MAX_TOML)?;
    let RobotOnly { robot } = toml::from_str(&text).map_err(|error| FileError::value(&name, error.message()))?;
    let folder = path.parent().unwrap_or(Path::new(""));
    robot.robot(&|file| robot_model::read_file(&folder.join(file))).map_err(|why| FileError::value(&name, why))
}

/// The key `robot` of a world file.
#[derive(Deserialize)]
struct RobotOnly {
    #[serde(default)]
    robot: RobotEntry,
}

/// Performs [`parse`] for worlds whose robot model may be a file. `robot` replaces the robots of the file, and `load`
/// reads the files of robot models.
pub fn parse_with(name: &str, text: &str, robot: Option<&RobotSpec>, load: Loader<'_>) -> Result<WorldSpec, FileError> {
    if text.len() > MAX_TEXT {
        return Err(FileError::value(
            name,
            format!("the file has {} bytes; at most {MAX_TEXT} are allowed", text.len()),
        ));
    }
    let entries: WorldFile = file::parse(name, text)?;
    let robot = match robot {
        Some(robot) => *robot,
        None => entries.robot.robot(load).map_err(|message| FileError::value(name, format!("robot: {message}")))?,
    };
    let spec = spec(entries, &robot).map_err(|message| FileError::value(name, message))?;
    spec.check().map_err(|error| FileError::value(name, error.to_string()))?;
    Ok(spec)
}

fn spec(file: WorldFile, robot: &RobotSpec) -> Result<WorldSpec, String> {
    let WorldFile {
        robots,
        task,
        arena,
        robot: _,
        physics,
        floor,
        region,
        lot,
        latch,
        start,
        disc,
        wall,
        boxes,
        patch,
        room_light,
        light,
        tag_range_m,
        tag,
        camera,
        messages,
    } = file;
    let PhysicsEntry { robot_mass_kg, robot_friction, body_friction, restitution, noise } = physics;
    let RobotSpec { shape, model: robot_model, .. } = *robot;
    let radius = shape.radius;
    let (half_length, half_width) = half_arena(robots);
    let regions = Regions::from_entries(region)?;
    let zones = &regions.zones;
    let mut rules = Rules::new(zones, disc.len(), lot, latch)?;
    let floor = regions.floor(&floor, &mut rules)?;
    let conditions = Conditions {
        walls: boxes::conditions(
            (wall.len(), conditions(&mut rules, "wall", wall.iter().map(|w| &w.when))?),
            (boxes.len(), conditions(&mut rules, "box", boxes.iter().map(|b| &b.when))?),
        ),
        patches: conditions(&mut rules, "patch", patch.iter().map(|p| &p.when))?,
        lights: conditions(&mut rules, "light", light.iter().map(|l| &l.when))?,
        starts: conditions(&mut rules, "start", start.iter().map(|s| &s.when))?,
    };
    let mut walls: Vec<Wall> = wall.into_iter().map(|w| Wall { from: place(w.from_m), to: place(w.to_m) }).collect();
    let corners = (1..).zip(&boxes).map(|(i, entry)| entry.corners(i)).collect::<Result<Vec<_>, _>>()?;
    walls.extend(corners.iter().flat_map(boxes::sides));
    // Places where a robot would touch a box or the sides of a polygon, be in the box, or be behind the polygon.
    let mut behind_walls: Vec<ZoneShape> = boxes.iter().map(|entry| entry.around(radius)).collect();
    let around = match &arena {
        ArenaEntry { polygon: None, .. } => None,
        ArenaEntry { polygon: Some(polygon), length_m: None, width_m: None } => {
            let sides = polygon_walls(polygon)?;
            let reach = |along: fn(Vec2) -> f32| sides.iter().map(|wall| along(wall.from).abs()).fold(0.0, f32::max);
            // Rounded up in double precision, so that no corner is outside of the arena by a rounding error.
            let up = |reach: f32| ((f64::from(reach) * 1e4).ceil() / 1e4) as f32;
            let half = (up(reach(|at| at.x)), up(reach(|at| at.y)));
            let outside = |wall: &Wall| {
                let middle = (wall.from + wall.to) * 0.5;
                let towards = middle * (1.0 / middle.length());
                ZoneShape::HalfPlane { towards, from: polygon.inradius_m - radius }
            };
            behind_walls.extend(sides.iter().map(outside));
            walls.extend(sides);
            Some(half)
        }
        _ => return Err("the arena has length_m and width_m, or polygon, but not both".into()),
    };
    let (half_length, half_width) = around.unwrap_or((half_length, half_width));
    let half_arena = (
        arena.length_m.map_or(half_length, |length| 0.5 * length),
        arena.width_m.map_or(half_width, |width| 0.5 * width),
    );
    boxes::inside(&corners, half_arena)?;
    let starts: Result<Vec<Start>, String> =
        (1..).zip(start).map(|(i, entry)| inside_walls(i, self::start(i, entry, zones)?, &behind_walls)).collect();
    Ok(WorldSpec {
        robots,
        robot: Shape { mass: robot_mass_kg.unwrap_or(shape.mass), mu: robot_friction.unwrap_or(shape.mu), ..shape },
        physics: Physics {
            mu_bodies: body_friction,
            restitution,
            noise: noise.unwrap_or(robot.motion_noise),
            half_arena,
            walls,
            robot: robot_model,
        },
        discs: disc.into_iter().map(self::disc).collect(),
        patches: patch.into_iter().map(self::patch).collect(),
        starts: starts?,
        floor: Arc::new(floor),
        lighting: lighting(room_light, &light),
        tags: Tags { range: tag_range_m, list: tag.iter().map(self::tag).collect() },
        camera: CameraModel {
            delay_s: camera.delay_s.unwrap_or(robot.camera.delay_s),
            misses: camera.misses.unwrap_or(robot.camera.misses),
        },
        messages: messages.map(|keys| keys.over(&robot.messages.unwrap_or_default())).or(robot.messages),
        task: self::task(task, rules)?,
        conditions,
    })
}

fn tag(entry: &TagEntry) -> Tag {
    Tag { at: place(entry.at_m), facing: Vec2::unit(entry.facing_deg.to_radians()) }
}

/// Registers the conditions of all parts of a kind. The result is empty if no part has a condition.
fn conditions<'a>(
    rules: &mut Rules,
    kind: &str,
    whens: impl Iterator<Item = &'a Option<String>>,
) -> Result<Vec<Option<u8>>, String> {
    let condition =
        |(number, when): (u32, &Option<String>)| rules.condition(&format!("{kind} {number}"), when.as_deref());
    let all: Vec<Option<u8>> = (1..).zip(whens).map(condition).collect::<Result<_, _>>()?;
    Ok(if all.iter().all(Option::is_none) { Vec::new() } else { all })
}

fn task(entry: TaskEntry, rules: Rules) -> Result<Task, String> {
    rules.built_in(match entry {
        TaskEntry::Transport {} => Task::Transport,
        TaskEntry::TransportOnce {} => Task::TransportOnce,
        TaskEntry::TransportPosition {} => Task::TransportPosition,
        TaskEntry::Aggregation { range_m } => Task::Aggregation { range: range_m },
        TaskEntry::Dispersion {} => Task::Dispersion,
        TaskEntry::Coverage { cell_m } => Task::Coverage { cell: cell_m },
        TaskEntry::Foraging { nest, food } => Task::Foraging { nest: region(nest), food: region(food) },
        TaskEntry::Objective { score, worst, best, end, relocate_disc } => {
            let mut rules = rules;
            if relocate_disc {
                rules.relocate_disc();
            }
            return rules.objective(&score, end.as_deref(), worst, best);
        }
    })
}

/// Restricts a start to the outside of boxes and the inside of a polygon of walls. `behind_walls` contains the shapes
/// where robots cannot start.
fn inside_walls(number: usize, start: Start, behind_walls: &[ZoneShape]) -> Result<Start, String> {
    if behind_walls.is_empty() {
        return Ok(start);
    }
    let mut zone = match start {
        Start::Zone(zone) => zone,
        Start::Area(Area { low, high }) => {
            let shape = ZoneShape::Simple(Region::Rectangle { at: (low + high) * 0.5, half: (high - low) * 0.5 });
            Zone { name: format!("of start {number}"), shapes: vec![shape], without: Vec::new() }
        }
        Start::Poses(poses) => {
            let behind = |pose: &Pose| behind_walls.iter().any(|shape| shape.contains(pose.at));
            return match poses.iter().position(behind) {
                Some(index) => {
                    Err(format!("start {number}, robot {}: is in a box, or behind a wall of the polygon", index + 1))
                }
                None => Ok(Start::Poses(poses)),
            };
        }
    };
    zone.without.extend_from_slice(behind_walls);
    Ok(Start::Zone(zone))
}

/// Walls of a regular polygon.
fn polygon_walls(polygon: &PolygonShape) -> Result<Vec<Wall>, String> {
    let PolygonShape { sides, inradius_m } = *polygon;
    if !(3..=model::MAX_WALLS).contains(&sides) {
        return Err(format!("arena.polygon.sides = {sides} is outside 3 to {}", model::MAX_WALLS));
    }
    if !(0.15..=9.0).contains(&inradius_m) {
        return Err(format!("arena.polygon.inradius_m = {inradius_m} is outside 0.15 to 9"));
    }
    let half_angle = std::f32::consts::PI / sides as f32;
    let corner = |i: usize| Vec2::unit((2.0 * i as f32 + 1.0) * half_angle) * (inradius_m / half_angle.cos());
    Ok((0..sides).map(|i| Wall { from: corner(i), to: corner((i + 1) % sides) }).collect())
}

fn region(entry: RegionEntry) -> Region {
    match entry {
        RegionEntry::Rectangle { x_m, y_m } => {
            let Area { low, high } = area(x_m, y_m);
            Region::Rectangle { at: (low + high) * 0.5, half: (high - low) * 0.5 }
        }
        RegionEntry::Disc { at_m, radius_m } => Region::Disc { at: place(at_m), radius: radius_m },
        RegionEntry::Beyond { at_m, radius_m } => Region::Beyond { at: place(at_m), radius: radius_m },
    }
}

fn start(number: usize, entry: StartEntry, zones: &[Zone]) -> Result<Start, String> {
    let pose = |p: PoseEntry| Pose { at: place(p.at_m), heading: p.heading_deg.to_radians() };
    match entry {
        StartEntry { x_m: Some(x), y_m: Some(y), pose: None, region: None, .. } => Ok(Start::Area(area(x, y))),
        StartEntry { x_m: None, y_m: None, pose: None, region: Some(name), .. } => {
            match zones.iter().find(|zone| zone.name == name) {
                _ if name == "arena" => Ok(Start::Zone(Zone::arena())),
                Some(zone) => Ok(Start::Zone(zone.clone())),
                None => Err(format!("start {number}: there is no region {name}; add a [[region]] with this name")),
            }
        }
        StartEntry { x_m: None, y_m: None, pose: Some(poses), region: None, .. } => {
            Ok(Start::Poses(poses.into_iter().map(pose).collect()))
        }
        _ => Err(format!("start {number} needs exactly one of x_m with y_m, pose, and region")),
    }
}

fn disc(entry: DiscEntry) -> Disc {
    let DiscEntry { x_m, y_m, radius_m, mass_kg, friction, colour: paint } = entry;
    Disc { shape: Shape::disc(radius_m, mass_kg, friction, colour(paint)), start: area(x_m, y_m) }
}

fn patch(entry: PatchEntry) -> Patch {
    Patch { at: place(entry.at_m), half_length: 0.5 * entry.length_m, colour: colour(entry.colour) }
}

fn colour(entry: ColourEntry) -> Colour {
    match entry {
        ColourEntry::Red => Colour::Red,
        ColourEntry::Green => Colour::Green,
        ColourEntry::Blue => Colour::Blue,
    }
}

fn place([x, y]: Place) -> Vec2 {
    vec2(x, y)
}

fn area(x: [f32; 2], y: [f32; 2]) -> Area {
    Area { low: vec2(x[0], y[0]), high: vec2(x[1], y[1]) }
}
