//! Missions that an import knows: the task as a formula, its regions with their paint, and the start.

use super::shapes::round;
use std::fmt::Write;
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::world::task::Region;
use xpuck_kernels::world::zone::{Zone, ZoneShape};

/// Place in a formula at which the ends of the mission's line are written.
pub(super) const LINE: &str = "LINE";
/// Name of the region in which the robots start.
const START: &str = "start";
/// Maximum length of a comment line.
const WIDTH: usize = 110;

/// Known mission, in ARGoS's coordinates.
#[derive(Clone)]
pub(super) struct Mission {
    /// Description of the mission, and notes on its version, as comments of the world file.
    pub comments: Vec<String>,
    /// Formula of the score. [`LINE`] stands for the ends of `line`.
    pub score: String,
    /// Comment on `worst` and `best`; empty if there is none.
    pub scale: String,
    /// Value with fitness 0.
    pub worst: f32,
    /// Value with fitness 1.
    pub best: f32,
    /// Shapes of the regions, in the order in which they are painted.
    pub shapes: Vec<MissionShape>,
    /// Region in which the robots start.
    pub start: Zone,
    /// Boxes that the mission adds to the arena: centre, and lengths along x and y (m).
    pub boxes: Vec<(Vec2, [f32; 2])>,
    /// Line whose crossings are counted.
    pub line: Option<[Vec2; 2]>,
}

/// Shape of a named region.
#[derive(Clone)]
pub(super) struct MissionShape {
    /// Name of the region.
    pub name: String,
    /// Shape.
    pub shape: ZoneShape,
    /// Paint of the floor; `None` for a region that is only scored.
    pub paint: Option<Paint>,
    /// Whether the shape is cut out of the region.
    pub is_cut: bool,
}

/// Paint of the floor.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Paint {
    Black,
    Grey,
    White,
}

impl Mission {
    /// Mission without regions. Its score is 0 to 1.
    pub fn new(comment: &str, score: impl Into<String>, start: Zone) -> Mission {
        Mission {
            comments: vec![comment.into()],
            score: score.into(),
            scale: String::new(),
            worst: 0.0,
            best: 1.0,
            shapes: Vec::new(),
            start,
            boxes: Vec::new(),
            line: None,
        }
    }

    /// Adds a painted shape to the region `name`.
    pub fn paint(mut self, name: &str, paint: Paint, shape: ZoneShape) -> Mission {
        self.shapes.push(MissionShape { name: name.into(), shape, paint: Some(paint), is_cut: false });
        self
    }

    /// Adds a shape that is only scored to the region `name`.
    pub fn area(mut self, name: &str, shape: ZoneShape) -> Mission {
        self.shapes.push(MissionShape { name: name.into(), shape, paint: None, is_cut: false });
        self
    }

    /// Cuts a shape out of the region `name`.
    pub fn cut(mut self, name: &str, shape: ZoneShape) -> Mission {
        self.shapes.push(MissionShape { name: name.into(), shape, paint: None, is_cut: true });
        self
    }

    /// Adds a comment.
    pub fn note(mut self, comment: impl Into<String>) -> Mission {
        self.comments.push(comment.into());
        self
    }

    /// Sets the values with fitness 0 and 1, with a comment.
    pub fn scale(mut self, worst: f32, best: f32, comment: impl Into<String>) -> Mission {
        (self.worst, self.best, self.scale) = (worst, best, comment.into());
        self
    }

    /// Adds a box with a centre and lengths along x and y (m).
    pub fn wall(mut self, at: [f32; 2], size: [f32; 2]) -> Mission {
        self.boxes.push((vec2(at[0], at[1]), size));
        self
    }

    /// Returns the `[task]` table of the world file. `middle` is the centre of the arena in ARGoS's coordinates.
    pub fn task(&self, middle: Vec2) -> String {
        let ends = self.line.into_iter().flatten().map(|end| end - middle);
        let ends: Vec<String> = ends.flat_map(|end| [end.x, end.y]).map(|x| round(x).to_string()).collect();
        let score = self.score.replace(LINE, &ends.join(", "));
        format!(
            "\n[task]\nkind = \"objective\"\nscore = \"{score}\"\n{}worst = {}\nbest = {}\n",
            comment(&self.scale),
            self.worst,
            self.best
        )
    }

    /// Returns the `[[start]]` table and the region in which the robots start.
    pub fn start(&self, middle: Vec2) -> String {
        let mut text = format!("\n[[start]]\nregion = \"{START}\"\n");
        for (shapes, is_cut) in [(&self.start.shapes, false), (&self.start.without, true)] {
            for shape in shapes {
                text +=
                    &region(&MissionShape { name: START.into(), shape: shape.clone(), paint: None, is_cut }, middle);
            }
        }
        text
    }

    /// Returns the `[[region]]` tables of the mission.
    pub fn regions(&self, middle: Vec2) -> String {
        self.shapes.iter().map(|shape| region(shape, middle)).collect()
    }
}

/// Returns a text as comment lines. An empty text has no lines.
pub(super) fn comment(text: &str) -> String {
    let mut lines = String::new();
    let mut line = String::new();
    for word in text.split_whitespace() {
        if !line.is_empty() && line.chars().count() + word.chars().count() + 1 > WIDTH {
            let _ = writeln!(lines, "#{line}");
            line.clear();
        }
        let _ = write!(line, " {word}");
    }
    if !line.is_empty() {
        let _ = writeln!(lines, "#{line}");
    }
    lines
}

fn region(entry: &MissionShape, middle: Vec2) -> String {
    let place = |at: Vec2| [at - middle].map(|at| format!("[{:?}, {:?}]", round(at.x), round(at.y))).concat();
    let range = |at: f32, half: f32| format!("[{:?}, {:?}]", round(at - half), round(at + half));
    let shape = match &entry.shape {
        ZoneShape::Simple(Region::Disc { at, radius }) => {
            format!("disc = {{ at_m = {}, radius_m = {:?} }}", place(*at), round(*radius))
        }
        ZoneShape::Simple(Region::Beyond { at, radius }) => {
            format!("beyond = {{ at_m = {}, radius_m = {:?} }}", place(*at), round(*radius))
        }
        ZoneShape::Simple(Region::Rectangle { at, half }) => {
            let at = *at - middle;
            format!("rectangle = {{ x_m = {}, y_m = {} }}", range(at.x, half.x), range(at.y, half.y))
        }
        ZoneShape::HalfPlane { towards, from } => {
            let degrees = round(towards.y.atan2(towards.x).to_degrees());
            let from = round(from - towards.dot(middle));
            format!("half_plane = {{ towards_deg = {degrees:?}, from_m = {from:?} }}")
        }
        ZoneShape::Ring { at, inner, outer } => {
            let (inner, outer) = (round(*inner), round(*outer));
            format!("ring = {{ at_m = {}, inner_m = {inner:?}, outer_m = {outer:?} }}", place(*at))
        }
        ZoneShape::Polygon(corners) => {
            let corners: Vec<String> = corners.iter().map(|at| place(*at)).collect();
            format!("polygon_m = [{}]", corners.join(", "))
        }
    };
    let paint = match entry.paint {
        Some(Paint::Black) => "paint = \"black\"\n",
        Some(Paint::Grey) => "paint = \"grey\"\n",
        Some(Paint::White) => "paint = \"white\"\n",
        None => "",
    };
    let cut = if entry.is_cut { "cut = true\n" } else { "" };
    format!("\n[[region]]\nname = \"{}\"\n{shape}\n{paint}{cut}", entry.name)
}

/// Disc with a centre and a radius (m).
pub(super) fn disc(x: f32, y: f32, radius: f32) -> ZoneShape {
    ZoneShape::Simple(Region::Disc { at: vec2(x, y), radius })
}

/// Rectangle between two coordinates along each axis (m).
pub(super) fn rectangle(x: [f32; 2], y: [f32; 2]) -> ZoneShape {
    let (low, high) = (vec2(x[0], y[0]), vec2(x[1], y[1]));
    ZoneShape::Simple(Region::Rectangle { at: (low + high) * 0.5, half: (high - low) * 0.5 })
}

/// Points with a coordinate of at least `from` (m) in the direction of a unit vector.
pub(super) fn half_plane(towards: [f32; 2], from: f32) -> ZoneShape {
    ZoneShape::HalfPlane { towards: vec2(towards[0], towards[1]), from }
}

/// Region in which the robots start.
pub(super) fn start(shapes: Vec<ZoneShape>, without: Vec<ZoneShape>) -> Zone {
    Zone { name: START.into(), shapes, without }
}
