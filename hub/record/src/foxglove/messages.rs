//! Messages of Foxglove that are used here. The names and the order of the fields are Foxglove's, and all fields are
//! required. Lengths are in metres, and colours are in 0..=1.

use schemars::JsonSchema;
use serde::Serialize;

/// Point in time, since 1970 or since the hub's start.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "time")]
pub struct Time {
    pub sec: u32,
    pub nsec: u32,
}

impl Time {
    /// Converts a time from nanoseconds.
    pub fn from_nanos(nanoseconds: u64) -> Time {
        // The conversion is valid until the year 2106.
        Time { sec: (nanoseconds / 1_000_000_000) as u32, nsec: (nanoseconds % 1_000_000_000) as u32 }
    }
}

/// Duration of an entity.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "duration")]
pub struct Duration {
    pub sec: i32,
    pub nsec: u32,
}

/// Position, direction or size in space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "foxglove.Vector3")]
pub struct Vector3 {
    pub x: f64,
    pub y: f64,
    pub z: f64,
}

/// Point in space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "foxglove.Point3")]
pub struct Point {
    pub x: f64,
    pub y: f64,
    pub z: f64,
}

/// Rotation as a quaternion.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "foxglove.Quaternion")]
pub struct Quaternion {
    pub x: f64,
    pub y: f64,
    pub z: f64,
    pub w: f64,
}

impl Quaternion {
    /// Returns a rotation by an angle about z (rad).
    pub fn heading(angle: f64) -> Quaternion {
        Quaternion { x: 0.0, y: 0.0, z: (angle / 2.0).sin(), w: (angle / 2.0).cos() }
    }
}

/// Position and rotation of an object.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "foxglove.Pose")]
pub struct Pose {
    pub position: Vector3,
    pub orientation: Quaternion,
}

impl Pose {
    /// Returns a pose at a position, with a rotation by an angle about z (rad).
    pub fn at(x: f64, y: f64, z: f64, angle: f64) -> Pose {
        Pose { position: Vector3 { x, y, z }, orientation: Quaternion::heading(angle) }
    }
}

/// Colour with opacity `a`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "foxglove.Color")]
pub struct Color {
    pub r: f64,
    pub g: f64,
    pub b: f64,
    pub a: f64,
}

/// Arrow along the x axis of its pose.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "foxglove.ArrowPrimitive")]
pub struct Arrow {
    pub pose: Pose,
    pub shaft_length: f64,
    pub shaft_diameter: f64,
    pub head_length: f64,
    pub head_diameter: f64,
    pub color: Color,
}

/// Box with a colour.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "foxglove.CubePrimitive")]
pub struct Cube {
    pub pose: Pose,
    pub size: Vector3,
    pub color: Color,
}

/// Cylinder along the z axis of its pose.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "foxglove.CylinderPrimitive")]
pub struct Cylinder {
    pub pose: Pose,
    pub size: Vector3,
    pub bottom_scale: f64,
    pub top_scale: f64,
    pub color: Color,
}

/// Line of text at a position.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "foxglove.TextPrimitive")]
pub struct Text {
    pub pose: Pose,
    pub billboard: bool,
    pub font_size: f64,
    pub scale_invariant: bool,
    pub color: Color,
    pub text: String,
}

/// Lines with a colour. Type 0 is a line strip, 1 a closed line, and 2 a list of lines. Without `indices`, the points are
/// used in their order; without `colors`, all points have the colour `color`.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "foxglove.LinePrimitive")]
pub struct Line {
    #[serde(rename = "type")]
    pub kind: u8,
    pub pose: Pose,
    pub thickness: f64,
    pub scale_invariant: bool,
    pub points: Vec<Point>,
    pub color: Color,
    pub colors: Vec<Color>,
    pub indices: Vec<u32>,
}

/// Triangles with a colour. `indices` selects three points for each triangle.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "foxglove.TriangleListPrimitive")]
pub struct Triangles {
    pub pose: Pose,
    pub points: Vec<Point>,
    pub color: Color,
    pub colors: Vec<Color>,
    pub indices: Vec<u32>,
}

/// Placeholder for those kinds of Foxglove's primitives that are never sent.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Unused {}

/// Name with its value.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "foxglove.KeyValuePair")]
pub struct KeyValue {
    pub key: String,
    pub value: String,
}

/// Entity to draw. It replaces an entity with the same id.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "foxglove.SceneEntity")]
pub struct Entity {
    pub timestamp: Time,
    pub frame_id: String,
    pub id: String,
    pub lifetime: Duration,
    pub frame_locked: bool,
    pub metadata: Vec<KeyValue>,
    pub arrows: Vec<Arrow>,
    pub cubes: Vec<Cube>,
    pub spheres: Vec<Unused>,
    pub cylinders: Vec<Cylinder>,
    pub lines: Vec<Line>,
    pub triangles: Vec<Triangles>,
    pub texts: Vec<Text>,
    pub models: Vec<Unused>,
}

impl Entity {
    /// Returns an empty entity that moves with its frame. The entity stays until another entity replaces it.
    pub fn new(timestamp: Time, frame: &str, id: &str) -> Entity {
        Entity {
            timestamp,
            frame_id: frame.into(),
            id: id.into(),
            lifetime: Duration::default(),
            frame_locked: true,
            metadata: Vec::new(),
            arrows: Vec::new(),
            cubes: Vec::new(),
            spheres: Vec::new(),
            cylinders: Vec::new(),
            lines: Vec::new(),
            triangles: Vec::new(),
            texts: Vec::new(),
            models: Vec::new(),
        }
    }
}

/// Deletion of entities. Type 1 deletes all entities of the topic.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "foxglove.SceneEntityDeletion")]
pub struct Deletion {
    pub timestamp: Time,
    #[serde(rename = "type")]
    pub kind: u8,
    pub id: String,
}

/// Update of the drawn entities.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct SceneUpdate {
    pub deletions: Vec<Deletion>,
    pub entities: Vec<Entity>,
}

/// Pose of a frame relative to its parent frame.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
#[schemars(title = "foxglove.FrameTransform")]
pub struct FrameTransform {
    pub timestamp: Time,
    pub parent_frame_id: String,
    pub child_frame_id: String,
    pub translation: Vector3,
    pub rotation: Quaternion,
}

/// Poses of several frames.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct FrameTransforms {
    pub transforms: Vec<FrameTransform>,
}

/// Log line. The level is 1 for debug, 2 for information, 3 for a warning, and 4 for an error.
#[derive(Clone, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Log {
    pub timestamp: Time,
    pub level: u8,
    pub message: String,
    pub name: String,
    pub file: String,
    pub line: u32,
}
