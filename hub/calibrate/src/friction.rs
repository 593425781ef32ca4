//! Friction between bodies and the floor, from readings of a force gauge (thesis 7.2.1, Table 7.2).
//!
//! A thread pulls a body over the floor, and a force gauge measures the force. A static reading is the maximum force
//! just before the body moves. A dynamic reading is the force while the body moves. For each kind of reading, the
//! minimum and the maximum reading are left out. Friction is the mean force of the remaining readings, divided by the
//! body's weight. The simulator has one friction per body, which is the mean of both kinds.
//!
//! The standard error is computed from the remaining readings, which scatter less than all readings.

use super::poses::FRISBEE;
use super::table::{self, Row};
use super::{Estimate, FitError, Report};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use xpuck_kernels::model::{FRISBEE_MASS, GRAVITY, ROBOT_MASS};
use xpuck_kernels::tree::suggest;
use xpuck_stats::plot::{Colour, Plot};
use xpuck_wire::FileError;

/// Name in the report for all robots together, which count as one body.
const ROBOT: &str = "robot";
/// Minimum number of readings of a kind, including the two readings that are left out.
const LEAST_READINGS: usize = 5;
/// Range of valid forces in a record (N).
const FORCES: RangeInclusive<f64> = 0.001..=100.0;
/// Maximum friction that a world file allows.
const MOST_FRICTION: f64 = 10.0;
/// Range of valid masses of a body (kg), as in world files.
const MASSES: RangeInclusive<f64> = 0.001..=10.0;

/// Kind of friction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Static friction, measured just before the body moves.
    Static,
    /// Dynamic friction, measured while the body moves.
    Dynamic,
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Kind::Static => "static",
            Kind::Dynamic => "dynamic",
        }
    }
}

/// Reading of the force gauge, which is a row of the record.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// Name of the body: `frisbee`, or a robot's name.
    pub body: String,
    /// Kind of friction.
    pub kind: Kind,
    /// Force with which the thread pulls (N).
    pub force_n: f64,
}

impl Row for Reading {
    fn numbers(&self) -> Vec<(&'static str, f64, RangeInclusive<f64>)> {
        vec![("force_n", self.force_n, FORCES)]
    }
}

/// Masses of the bodies (kg, 0.001..=10). The defaults are those of Table 7.1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Masses {
    /// Mass of a robot (kg).
    pub robot_kg: f64,
    /// Mass of the frisbee (kg).
    pub frisbee_kg: f64,
}

impl Default for Masses {
    fn default() -> Masses {
        Masses { robot_kg: f64::from(ROBOT_MASS), frisbee_kg: f64::from(FRISBEE_MASS) }
    }
}

/// Parses readings. Errors contain `name` as the name of the text.
pub fn read(name: &str, text: &str) -> Result<Vec<Reading>, FileError> {
    let readings = table::read::<Reading>(name, text)?;
    for (line, Reading { body, .. }) in &readings {
        // Every other name belongs to a robot. Without this check, a misspelt frisbee would count as a robot.
        let hint = suggest(&body.to_lowercase(), [FRISBEE.to_string()].into_iter());
        if body != FRISBEE && (body.eq_ignore_ascii_case(FRISBEE) || !hint.is_empty()) {
            let message = format!(
                "line {line}, column `body`: unknown body `{}`; did you mean `{FRISBEE}`?",
                body.escape_debug()
            );
            return Err(FileError::value(name, message));
        }
    }
    Ok(readings.into_iter().map(|(_, reading)| reading).collect())
}

/// Readings of one kind for a body. Each reading has its number, from 1, and its force (N).
#[derive(Debug)]
struct Group {
    kind: Kind,
    kept: Vec<(f64, f64)>,
    /// Minimum and maximum reading, which are left out. Each has its number and its force (N).
    left_out: [(f64, f64); 2],
}

impl Group {
    fn from_forces(body: &str, kind: Kind, forces: &[f64]) -> Result<Group, FitError> {
        if forces.len() < LEAST_READINGS {
            return Err(FitError(format!(
                "{body}, {}: too few readings ({}); at least {LEAST_READINGS} of a kind are needed, better 10, \
                 because the lowest and the highest are left out",
                kind.name(),
                forces.len()
            )));
        }
        let mut points: Vec<(f64, f64)> = (1u32..).map(f64::from).zip(forces.iter().copied()).collect();
        points.sort_by(|a, b| a.1.total_cmp(&b.1));
        let last = points.len() - 1;
        Ok(Group { kind, kept: points[1..last].to_vec(), left_out: [points[0], points[last]] })
    }

    fn count(&self) -> usize {
        self.kept.len() + self.left_out.len()
    }

    /// Returns the mean force of the readings that are not left out (N).
    fn mean(&self) -> f64 {
        self.kept.iter().map(|p| p.1).sum::<f64>() / self.kept.len() as f64
    }

    /// Returns the standard deviation of the readings that are not left out (N).
    fn deviation(&self) -> f64 {
        let mean = self.mean();
        let square: f64 = self.kept.iter().map(|p| (p.1 - mean).powi(2)).sum();
        (square / (self.kept.len() - 1) as f64).sqrt()
    }

    /// Returns the standard error of the mean force (N).
    fn error(&self) -> f64 {
        self.deviation() / (self.kept.len() as f64).sqrt()
    }
}

/// Readings of all robots, or of the frisbee.
#[derive(Debug)]
struct BodyReadings {
    name: &'static str,
    /// Weight of the body (N).
    weight: f64,
    /// Readings in groups, one for each kind that was measured.
    groups: Vec<Group>,
}

impl BodyReadings {
    /// Returns the friction and its standard error. If both kinds were measured, the friction is their mean.
    fn friction(&self) -> (f64, f64) {
        let n = self.groups.len() as f64;
        let mean = self.groups.iter().map(Group::mean).sum::<f64>() / n;
        let error = self.groups.iter().map(|g| g.error().powi(2)).sum::<f64>().sqrt() / n;
        (mean / self.weight, error / self.weight)
    }

    fn estimates(&self) -> Vec<Estimate> {
        let row = |name: String, (value, error): (f64, f64), meaning: String| Estimate {
            name,
            value,
            error: Some(error),
            unit: "",
            meaning,
        };
        let of_kind = |group: &Group| {
            let values = (group.mean() / self.weight, group.error() / self.weight);
            let kind = group.kind.name();
            let meaning = format!("{kind}, from {} of {} readings", group.kept.len(), group.count());
            row(format!("{}_{kind}", self.name), values, meaning)
        };
        let mut rows: Vec<Estimate> = self.groups.iter().map(of_kind).collect();
        let meaning = if self.groups.len() > 1 { "with the floor: the mean of both" } else { "with the floor" };
        rows.push(row(self.key(), self.friction(), meaning.into()));
        rows
    }

    /// Returns the key of the body's friction in the section `[physics]`.
    fn key(&self) -> String {
        format!("{}_friction", self.name)
    }

    /// Plots all readings. For each kind, also plots the mean of the readings that are not left out.
    fn panel(&self) -> Plot {
        let mut plot = Plot::new(&format!("{}: readings (Table 7.2)", self.name), "reading", "force, N").whole_x();
        for group in &self.groups {
            let colour = match group.kind {
                Kind::Static => Colour::Blue,
                Kind::Dynamic => Colour::Orange,
            };
            let mean = group.mean();
            plot.line("", colour, vec![(1.0, mean), (group.count() as f64, mean)]);
            plot.points(&format!("{}, mean {mean:.2} N", group.kind.name()), colour, group.kept.clone());
        }
        let left_out = self.groups.iter().flat_map(|group| group.left_out);
        plot.points("left out", Colour::Grey, left_out.collect());
        plot
    }
}

/// Fits friction to readings. All bodies except the frisbee are robots, and their readings are combined.
pub fn fit(readings: &[Reading], masses: Masses) -> Result<Report, FitError> {
    let mut drawn: Vec<BodyReadings> = Vec::new();
    for (name, mass) in [(ROBOT, masses.robot_kg), (FRISBEE, masses.frisbee_kg)] {
        if !MASSES.contains(&mass) {
            let (low, high) = MASSES.into_inner();
            return Err(FitError(format!("{name}: a mass of {} kg is outside {low} to {high} kg", mass as f32)));
        }
        let mut groups = Vec::new();
        for kind in [Kind::Static, Kind::Dynamic] {
            let of_kind = readings.iter().filter(|r| r.kind == kind && (r.body == FRISBEE) == (name == FRISBEE));
            let forces: Vec<f64> = of_kind.map(|r| r.force_n).collect();
            if !forces.is_empty() {
                groups.push(Group::from_forces(name, kind, &forces)?);
            }
        }
        if !groups.is_empty() {
            let body = BodyReadings { name, weight: mass * f64::from(GRAVITY), groups };
            let (friction, _) = body.friction();
            if friction > MOST_FRICTION {
                return Err(FitError(format!(
                    "{name}: the friction {friction:.1} is above {MOST_FRICTION}, the maximum of a world: check that \
                     the forces are in newtons (100 g weigh about 1 N)"
                )));
            }
            drawn.push(body);
        }
    }
    if drawn.is_empty() {
        return Err(FitError("no readings".into()));
    }
    let mut toml = String::from("[physics]\n");
    for body in &drawn {
        toml += &format!("{} = {:.4}\n", body.key(), body.friction().0);
    }
    let kept: usize = drawn.iter().flat_map(|body| &body.groups).map(|group| group.kept.len()).sum();
    let scatter = drawn.iter().flat_map(|body| {
        body.groups
            .iter()
            .map(move |group| format!("{:.3} N ({}, {})", group.deviation(), body.name, group.kind.name()))
    });
    Ok(Report {
        subject: "friction",
        data: format!(
            "{} readings of {}, {kept} kept: the lowest and the highest of each kind are left out",
            readings.len(),
            bodies(readings)
        ),
        estimates: drawn.iter().flat_map(BodyReadings::estimates).collect(),
        fit: format!("standard deviation of the kept readings: {}", scatter.collect::<Vec<_>>().join(", ")),
        toml,
        panels: drawn.iter().map(BodyReadings::panel).collect(),
    })
}

/// Returns a list of the names of the bodies, so that the user notices a misspelt frisbee.
fn bodies(readings: &[Reading]) -> String {
    let names: BTreeSet<&str> = readings.iter().map(|r| r.body.as_str()).collect();
    let call = |name: &str| {
        if name == FRISBEE { "the frisbee".to_string() } else { format!("robot `{}`", name.escape_debug()) }
    };
    names.into_iter().map(call).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_of_spreadsheets_are_read_and_slips_refused() {
        let rows = [0.31, 0.35, 0.33, 0.30, 0.36, 0.34];
        let table = |head: &str, row: &dyn Fn(f64) -> String| {
            rows.iter().fold(format!("{head}\n"), |text, force| text + &row(*force) + "\n")
        };
        let plain = table("body,kind,force_n", &|force| format!("frisbee,static,{force}"));
        let wanted = read("t", &plain).unwrap();
        let comma = |force: f64| force.to_string().replace('.', ",");
        for text in [
            table("body;kind;force_n", &|force| format!("frisbee;static;{}", comma(force))),
            table("body;kind;force_n", &|force| format!("frisbee;static;{force}")),
            table("body\tkind\tforce_n", &|force| format!("frisbee\tstatic\t{}", comma(force))),
            table("Body,Kind,Force_N", &|force| format!("frisbee,static,{force}")),
            table("# a note, with commas; and more\nbody;kind;force_n", &|force| {
                format!("frisbee;static;{}", comma(force))
            }),
        ] {
            assert_eq!(read("t", &text).unwrap(), wanted, "{text}");
        }
        for slip in ["Frisbee", "FRISBEE", "frisbe", "frisbees"] {
            let told = read("t", &plain.replacen("frisbee", slip, 1)).unwrap_err().to_string();
            assert!(told.contains(&format!("line 2, column `body`: unknown body `{slip}`; did you mean")), "{told}");
        }
        assert!(read("t", &plain.replace("frisbee", "xp01")).is_ok());
        let grams = table("body,kind,force_n", &|force| format!("frisbee,static,{}", 100.0 * force));
        let told = fit(&read("t", &grams).unwrap(), Masses::default()).unwrap_err().to_string();
        assert!(told.contains("is above 10, the maximum of a world: check that the forces are in newtons"), "{told}");
    }

    /// Readings of Table 7.2 (N).
    const XPUCK_STATIC: [f64; 10] = [2.06, 2.06, 1.78, 2.06, 1.74, 1.92, 2.00, 1.88, 1.90, 2.06];
    const XPUCK_DYNAMIC: [f64; 10] = [1.40, 1.64, 1.58, 1.70, 1.72, 1.80, 1.66, 1.80, 1.76, 1.80];
    const FRISBEE_DYNAMIC: [f64; 10] = [0.30, 0.34, 0.38, 0.32, 0.36, 0.40, 0.28, 0.34, 0.28, 0.32];

    fn rows(body: &str, kind: &str, forces: &[f64]) -> String {
        forces.iter().map(|force| format!("{body},{kind},{force}\n")).collect()
    }

    fn published() -> String {
        let columns = "body,kind,force_n\n".to_string();
        columns
            + &rows("xpuck", "static", &XPUCK_STATIC)
            + &rows("xpuck", "dynamic", &XPUCK_DYNAMIC)
            + &rows("frisbee", "dynamic", &FRISBEE_DYNAMIC)
    }

    fn fitted(text: &str) -> Result<Report, FitError> {
        fit(&read("t", text).unwrap(), Masses::default())
    }

    #[test]
    fn table_7_2_gives_its_means() {
        let report = fitted(&published()).unwrap();
        // Table 7.2 gives a friction of 0.67 (robot, static), 0.58 (robot, dynamic) and 0.5 (frisbee). For robots, the
        // mean of both kinds is 0.62, whereas the thesis uses 0.65.
        let expected = [
            ("robot_static", 0.66514, 0.01248),
            ("robot_dynamic", 0.58019, 0.00943),
            ("robot_friction", 0.62266, 0.00782),
            ("frisbee_dynamic", 0.48056, 0.01651),
            ("frisbee_friction", 0.48056, 0.01651),
        ];
        assert_eq!(report.estimates.len(), expected.len());
        for (estimate, (name, value, error)) in report.estimates.iter().zip(expected) {
            assert_eq!(estimate.name, name);
            assert!((estimate.value - value).abs() < 1e-5, "{name}: {}", estimate.value);
            assert!((estimate.error.unwrap() - error).abs() < 1e-5, "{name}: {:?}", estimate.error);
        }
        assert_eq!(report.toml, "[physics]\nrobot_friction = 0.6227\nfrisbee_friction = 0.4806\n");
        assert!(report.data.starts_with("30 readings of the frisbee, robot `xpuck`, 24 kept"), "{}", report.data);
        assert_eq!(report.panels.len(), 2);
    }

    #[test]
    fn report_combines_robots_and_omits_missing_kinds() {
        let text = format!("kind,force_n,body\n{}{}", "dynamic,1,xp01\n".repeat(3), "dynamic,2,xp02\n".repeat(3));
        let masses = Masses { robot_kg: 0.5, ..Masses::default() };
        let report = fit(&read("t", &text).unwrap(), masses).unwrap();
        // All six readings form one group, of which the minimum (1 N) and the maximum (2 N) are left out. Two
        // readings of 1 N and two of 2 N remain.
        assert_eq!(report.toml, "[physics]\nrobot_friction = 0.3058\n");
        assert_eq!(report.estimates.len(), 2);
        assert_eq!(report.estimates[0].meaning, "dynamic, from 4 of 6 readings");
        assert!(report.data.contains("robot `xp01`, robot `xp02`, 4 kept"), "{}", report.data);
        let same = fitted(&format!("body,kind,force_n\n{}", "frisbee,static,0.25\n".repeat(5))).unwrap();
        assert_eq!((same.estimates[0].error, same.panels.len()), (Some(0.0), 1), "equal readings");
        assert_eq!(same.toml, "[physics]\nfrisbee_friction = 0.3641\n");
    }

    #[test]
    fn wrong_records_and_masses_are_refused() {
        let few = format!("body,kind,force_n\n{}", rows("xpuck", "static", &XPUCK_STATIC[..4]));
        let error = fitted(&few).unwrap_err().to_string();
        assert!(error.starts_with("robot, static: too few readings (4); at least 5 of a kind are needed"), "{error}");
        assert!(fit(&[], Masses::default()).is_err());
        let readings = read("t", &published()).unwrap();
        for mass in [0.0, -0.3, 11.0, f64::NAN] {
            let error = fit(&readings, Masses { frisbee_kg: mass, ..Masses::default() }).unwrap_err().to_string();
            assert!(error.starts_with("frisbee: a mass of "), "{error}");
        }
        let cases = [
            ("xpuck,static,0", "t: line 2, column `force_n`: 0 is outside 0.001 to 100"),
            ("xpuck,static,-1.5", "t: line 2, column `force_n`: -1.5 is outside 0.001 to 100"),
            ("xpuck,static,206", "t: line 2, column `force_n`: 206 is outside 0.001 to 100"),
            ("xpuck,rolling,1", "line 2: unknown variant `rolling`, expected `static` or `dynamic`"),
            ("xpuck,static,1 N", "line 2, column `force_n`: invalid float literal"),
        ];
        for (row, expected) in cases {
            let error = read("t", &format!("body,kind,force_n\n{row}\n")).unwrap_err().to_string();
            assert!(error.contains(expected), "{error}");
        }
    }
}
