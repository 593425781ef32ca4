//! Regions of a world file: their shapes, paint and conditions.

use super::rules::Rules;
use super::{Place, RegionEntry, place, region};
use schemars::JsonSchema;
use serde::Deserialize;
use xpuck_kernels::math::Vec2;
use xpuck_kernels::world::floor::{Floor, NO_CONFUSION, Paint};
use xpuck_kernels::world::task::{Region, objective};
use xpuck_kernels::world::zone::{MAX_CORNERS, Zone, ZoneShape};

/// Shape of a named region: exactly one of the shapes.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct ZoneEntry {
    /// Name: letters, digits and inner hyphens.
    name: String,
    /// Disc.
    disc: Option<DiscShape>,
    /// Rectangle.
    rectangle: Option<RectangleShape>,
    /// Points on one side of a line.
    half_plane: Option<HalfPlaneShape>,
    /// Points between two circles with the same centre.
    ring: Option<RingShape>,
    /// Points outside a circle.
    beyond: Option<DiscShape>,
    /// Polygon: its corners in order (m), 3 to 16.
    polygon_m: Option<Vec<Place>>,
    /// Whether the shape is cut out of the region.
    #[serde(default)]
    cut: bool,
    /// Condition under which the region exists: a formula of lots, latches and quantities. Default: always.
    when: Option<String>,
    /// Paint that ground sensors read. Where painted regions overlap, the first one is visible. Default: no paint.
    paint: Option<PaintEntry>,
}

/// Brightness of paint: 0 (black) to 1 (white), or a name.
#[derive(Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
enum PaintEntry {
    /// Level, 0 to 1. Ground sensors read a level below 0.25 as black, and a level above 0.75 as white.
    Level(f32),
    /// Name of a level: 0, 0.5 or 1.
    Named(PaintName),
}

#[derive(Clone, Copy, PartialEq, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
enum PaintName {
    Black,
    Grey,
    White,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct FloorEntry {
    /// Paint of the rest of the floor.
    paint: PaintEntry,
    /// Probabilities with which a ground sensor reads black, grey and white. The first row is for a black floor, the
    /// second for grey, the third for white; each row has the sum 1.
    confusion: [[f32; 3]; 3],
}

impl Default for FloorEntry {
    fn default() -> FloorEntry {
        FloorEntry { paint: PaintEntry::Named(PaintName::Grey), confusion: NO_CONFUSION }
    }
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct DiscShape {
    /// Centre: x and y (m).
    at_m: Place,
    /// Radius (m), 0.01 to 20.
    radius_m: f32,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RectangleShape {
    /// Range of x (m).
    x_m: [f32; 2],
    /// Range of y (m).
    y_m: [f32; 2],
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct HalfPlaneShape {
    /// Direction in which the half-plane extends, counter-clockwise from +x (degrees).
    towards_deg: f32,
    /// Distance of its border from the centre of the arena in this direction (m); negative behind the centre.
    from_m: f32,
}

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct RingShape {
    /// Centre: x and y (m).
    at_m: Place,
    /// Inner radius (m), at least 0.
    inner_m: f32,
    /// Outer radius (m), up to 20.
    outer_m: f32,
}

fn level(paint: PaintEntry) -> f32 {
    match paint {
        PaintEntry::Level(level) => level,
        PaintEntry::Named(PaintName::Black) => 0.0,
        PaintEntry::Named(PaintName::Grey) => 0.5,
        PaintEntry::Named(PaintName::White) => 1.0,
    }
}

/// Regions of a world, in the order in which their names first occur.
#[derive(Default)]
pub(super) struct Regions {
    pub zones: Vec<Zone>,
    /// Paint of each region.
    levels: Vec<Option<f32>>,
    /// Condition of each region.
    whens: Vec<Option<String>>,
}

impl Regions {
    pub fn from_entries(entries: Vec<ZoneEntry>) -> Result<Regions, String> {
        let mut regions = Regions::default();
        for (number, entry) in (1..).zip(entries) {
            let name = entry.name.clone();
            regions.add(entry).map_err(|error| format!("region {number}, {name}: {error}"))?;
        }
        objective::check_names(regions.zones.iter().map(|zone| zone.name.as_str()))?;
        match regions.zones.iter().find(|zone| zone.shapes.is_empty()) {
            Some(zone) => Err(format!("region {} has only shapes with cut = true; add one without", zone.name)),
            None => Ok(regions),
        }
    }

    fn add(&mut self, mut entry: ZoneEntry) -> Result<(), String> {
        let (name, cut) = (std::mem::take(&mut entry.name), entry.cut);
        let (level, when) = (entry.paint.map(level), entry.when.take());
        let shape = zone_shape(entry)?;
        let index = self.zones.iter().position(|zone| zone.name == name).unwrap_or_else(|| {
            self.zones.push(Zone { name, shapes: Vec::new(), without: Vec::new() });
            self.levels.push(None);
            self.whens.push(None);
            self.zones.len() - 1
        });
        merge(&mut self.levels[index], level, "paint")?;
        merge(&mut self.whens[index], when, "when")?;
        let zone = &mut self.zones[index];
        if cut {
            zone.without.push(shape)
        } else {
            zone.shapes.push(shape)
        }
        Ok(())
    }

    /// Returns the floor, and registers the conditions of the regions.
    pub fn floor(&self, floor: &FloorEntry, rules: &mut Rules) -> Result<Floor, String> {
        let mut paint = Vec::new();
        for (index, zone) in self.zones.iter().enumerate() {
            let condition = rules.condition(&format!("region {}", zone.name), self.whens[index].as_deref())?;
            if let Some(condition) = condition {
                rules.set_zone_condition(index, condition);
            }
            if let Some(level) = self.levels[index] {
                paint.push(Paint { zone: zone.clone(), level, condition });
            }
        }
        Ok(Floor { level: level(floor.paint), paint, confusion: floor.confusion })
    }
}

/// Stores a value that all entries of a region have in common.
fn merge<T: PartialEq + std::fmt::Debug>(common: &mut Option<T>, value: Option<T>, key: &str) -> Result<(), String> {
    match (&*common, &value) {
        (Some(before), Some(now)) if before != now => Err(format!(
            "{key} = {now:?}, but {before:?} in an entry before; use another name, and add both in the formula"
        )),
        (None, Some(_)) => {
            *common = value;
            Ok(())
        }
        _ => Ok(()),
    }
}

fn zone_shape(entry: ZoneEntry) -> Result<ZoneShape, String> {
    let ZoneEntry { disc, rectangle, half_plane, ring, beyond, polygon_m, .. } = entry;
    let coordinates = |what: &str, values: &[f32]| match values.iter().all(|value| value.abs() <= 20.0) {
        true => Ok(()),
        false => Err(format!("{what} must be -20 to 20")),
    };
    let size = |what: &str, value: f32, low: f32| match (low..=20.0).contains(&value) {
        true => Ok(value),
        false => Err(format!("{what} = {value} is outside {low} to 20")),
    };
    let mut shapes = Vec::new();
    if let Some(DiscShape { at_m, radius_m }) = disc {
        coordinates("at_m", &at_m)?;
        shapes.push(ZoneShape::Simple(Region::Disc { at: place(at_m), radius: size("radius_m", radius_m, 0.01)? }));
    }
    if let Some(DiscShape { at_m, radius_m }) = beyond {
        coordinates("at_m", &at_m)?;
        shapes.push(ZoneShape::Simple(Region::Beyond { at: place(at_m), radius: size("radius_m", radius_m, 0.01)? }));
    }
    if let Some(RectangleShape { x_m, y_m }) = rectangle {
        coordinates("x_m and y_m", &[x_m, y_m].concat())?;
        if x_m[0] >= x_m[1] || y_m[0] >= y_m[1] {
            return Err("x_m and y_m are ranges: the first number must be below the second".into());
        }
        shapes.push(ZoneShape::Simple(region(RegionEntry::Rectangle { x_m, y_m })));
    }
    if let Some(HalfPlaneShape { towards_deg, from_m }) = half_plane {
        coordinates("from_m", &[from_m])?;
        if !(-360.0..=360.0).contains(&towards_deg) {
            return Err(format!("towards_deg = {towards_deg} is outside -360 to 360"));
        }
        shapes.push(ZoneShape::HalfPlane { towards: Vec2::unit(towards_deg.to_radians()), from: from_m });
    }
    if let Some(RingShape { at_m, inner_m, outer_m }) = ring {
        coordinates("at_m", &at_m)?;
        size("inner_m", inner_m, 0.0)?;
        if outer_m <= inner_m {
            return Err(format!("outer_m = {outer_m} must be above inner_m = {inner_m}"));
        }
        shapes.push(ZoneShape::Ring { at: place(at_m), inner: inner_m, outer: size("outer_m", outer_m, inner_m)? });
    }
    if let Some(corners) = polygon_m {
        if !(3..=MAX_CORNERS).contains(&corners.len()) {
            return Err(format!("polygon_m has {} corners; 3 to {MAX_CORNERS} are needed", corners.len()));
        }
        coordinates("polygon_m", &corners.concat())?;
        shapes.push(ZoneShape::Polygon(corners.into_iter().map(place).collect()));
    }
    match (shapes.pop(), shapes.is_empty()) {
        (Some(shape), true) => Ok(shape),
        _ => Err("needs exactly one of disc, rectangle, half_plane, ring, beyond and polygon_m".into()),
    }
}
