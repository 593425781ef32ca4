//! Friction with the floor from readings of a force gauge (thesis 7.2.1, Table 7.2).
//!
//! A body is drawn over the floor by a thread, and the force is read: the greatest just before it moves (static), or
//! while it moves (dynamic). Of each kind the least and the greatest reading are left out, and the mean force of the
//! rest over the body's weight is the friction. The simulator has one friction for a body, the mean of both kinds.
//!
//! The standard error is that of the readings which count. Without the two extremes they scatter less than all of them.

use super::poses::FRISBEE;
use super::table::{self, Row};
use super::{Estimate, Report, Unfit};
use serde::Deserialize;
use std::collections::BTreeSet;
use std::ops::RangeInclusive;
use xpuck_kernels::model::{FRISBEE_MASS, GRAVITY, ROBOT_MASS};
use xpuck_kernels::tree::suggest;
use xpuck_stats::plot::{Colour, Plot};
use xpuck_wire::FileError;

/// What robots are called in the report; all are one body.
const ROBOT: &str = "robot";
/// Readings that a kind needs, the two that are left out included.
const LEAST_READINGS: usize = 5;
/// Forces that a record may hold, N.
const FORCES: RangeInclusive<f64> = 0.001..=100.0;
/// Greatest friction that a world may have.
const MOST_FRICTION: f64 = 10.0;
/// Masses that a body may have, kg; the same as in world files.
const MASSES: RangeInclusive<f64> = 0.001..=10.0;

/// Whether the body was about to move or moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// Just before it moved.
    Static,
    /// While it moved.
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

/// A reading; also a row of the record.
#[derive(Clone, Debug, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Reading {
    /// Who: `frisbee`, or a robot's name.
    pub body: String,
    /// Which friction it tells.
    pub kind: Kind,
    /// Force of the thread, N.
    pub force_n: f64,
}

impl Row for Reading {
    fn numbers(&self) -> Vec<(&'static str, f64, RangeInclusive<f64>)> {
        vec![("force_n", self.force_n, FORCES)]
    }
}

/// Masses of the bodies, 0.001 to 10 kg; without more knowledge those of Table 7.1.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Masses {
    /// A robot, kg.
    pub robot_kg: f64,
    /// The frisbee, kg.
    pub frisbee_kg: f64,
}

impl Default for Masses {
    fn default() -> Masses {
        Masses { robot_kg: f64::from(ROBOT_MASS), frisbee_kg: f64::from(FRISBEE_MASS) }
    }
}

/// Reads readings; `name` is what errors call the text.
pub fn read(name: &str, text: &str) -> Result<Vec<Reading>, FileError> {
    let readings = table::read::<Reading>(name, text)?;
    for (line, Reading { body, .. }) in &readings {
        // Any other name is a robot's, so a slip of the pen would be a robot in silence.
        let hint = suggest(&body.to_lowercase(), [FRISBEE.to_string()].into_iter());
        if body != FRISBEE && (body.eq_ignore_ascii_case(FRISBEE) || !hint.is_empty()) {
            let message = format!(
                "line {line}, column `body`: `{}` is no robot's name; did you mean `{FRISBEE}`?",
                body.escape_debug()
            );
            return Err(FileError::value(name, message));
        }
    }
    Ok(readings.into_iter().map(|(_, reading)| reading).collect())
}

/// The readings of one kind: their numbers, from 1 on, and forces, N.
#[derive(Debug)]
struct Group {
    kind: Kind,
    kept: Vec<(f64, f64)>,
    /// The least and the greatest.
    left_out: [(f64, f64); 2],
}

impl Group {
    fn of(body: &str, kind: Kind, forces: &[f64]) -> Result<Group, Unfit> {
        if forces.len() < LEAST_READINGS {
            return Err(Unfit(format!(
                "{body}, {}: too few readings ({}); take at least {LEAST_READINGS} of a kind, better 10, as the least \
                 and the greatest are left out",
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

    /// Mean force, N.
    fn mean(&self) -> f64 {
        self.kept.iter().map(|p| p.1).sum::<f64>() / self.kept.len() as f64
    }

    /// Standard deviation of the forces, N.
    fn deviation(&self) -> f64 {
        let mean = self.mean();
        let square: f64 = self.kept.iter().map(|p| (p.1 - mean).powi(2)).sum();
        (square / (self.kept.len() - 1) as f64).sqrt()
    }

    /// Standard error of the mean force, N.
    fn error(&self) -> f64 {
        self.deviation() / (self.kept.len() as f64).sqrt()
    }
}

/// What was read of the robots or of the frisbee.
#[derive(Debug)]
struct Drawn {
    name: &'static str,
    /// Its weight, N.
    weight: f64,
    /// One or both kinds.
    groups: Vec<Group>,
}

impl Drawn {
    /// Its friction and the standard error: of several kinds, the mean.
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

    /// The name of its friction in `[physics]`.
    fn key(&self) -> String {
        format!("{}_friction", self.name)
    }

    /// The readings, and the means of those that count.
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

/// Fits readings; all bodies but the frisbee are robots, whose readings are taken together.
pub fn fit(readings: &[Reading], masses: Masses) -> Result<Report, Unfit> {
    let mut drawn: Vec<Drawn> = Vec::new();
    for (name, mass) in [(ROBOT, masses.robot_kg), (FRISBEE, masses.frisbee_kg)] {
        if !MASSES.contains(&mass) {
            let (low, high) = MASSES.into_inner();
            return Err(Unfit(format!("{name}: a mass of {} kg is outside {low} to {high} kg", mass as f32)));
        }
        let mut groups = Vec::new();
        for kind in [Kind::Static, Kind::Dynamic] {
            let of_kind = readings.iter().filter(|r| r.kind == kind && (r.body == FRISBEE) == (name == FRISBEE));
            let forces: Vec<f64> = of_kind.map(|r| r.force_n).collect();
            if !forces.is_empty() {
                groups.push(Group::of(name, kind, &forces)?);
            }
        }
        if !groups.is_empty() {
            let body = Drawn { name, weight: mass * f64::from(GRAVITY), groups };
            let (friction, _) = body.friction();
            if friction > MOST_FRICTION {
                return Err(Unfit(format!(
                    "{name}: a friction of {friction:.1} is above {MOST_FRICTION}, the most of a world: are the forces in \
                     newtons? A hundred grams weigh about one"
                )));
            }
            drawn.push(body);
        }
    }
    if drawn.is_empty() {
        return Err(Unfit("no readings".into()));
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
            "{} readings of {}, {kept} kept: the least and the greatest of each kind are left out",
            readings.len(),
            bodies(readings)
        ),
        estimates: drawn.iter().flat_map(Drawn::estimates).collect(),
        fit: format!("standard deviation of the kept readings: {}", scatter.collect::<Vec<_>>().join(", ")),
        toml,
        panels: drawn.iter().map(Drawn::panel).collect(),
    })
}

/// Who was drawn, by name, so that a misspelt frisbee shows.
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
            assert!(
                told.contains(&format!("line 2, column `body`: `{slip}` is no robot's name; did you mean")),
                "{told}"
            );
        }
        assert!(read("t", &plain.replace("frisbee", "xp01")).is_ok());
        let grams = table("body,kind,force_n", &|force| format!("frisbee,static,{}", 100.0 * force));
        let told = fit(&read("t", &grams).unwrap(), Masses::default()).unwrap_err().to_string();
        assert!(told.contains("is above 10, the most of a world: are the forces in newtons?"), "{told}");
    }

    /// Table 7.2.
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

    fn fitted(text: &str) -> Result<Report, Unfit> {
        fit(&read("t", text).unwrap(), Masses::default())
    }

    #[test]
    fn table_7_2_gives_its_means() {
        let report = fitted(&published()).unwrap();
        // The table has 0.67, 0.58 and 0.5. The mean of the first two is 0.62, where the thesis settles on 0.65.
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
    fn only_what_was_measured_is_reported_and_robots_are_taken_together() {
        let text = format!("kind,force_n,body\n{}{}", "dynamic,1,xp01\n".repeat(3), "dynamic,2,xp02\n".repeat(3));
        let masses = Masses { robot_kg: 0.5, ..Masses::default() };
        let report = fit(&read("t", &text).unwrap(), masses).unwrap();
        // The least and the greatest of all six are left out: two of 1 N and two of 2 N count.
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
        assert!(error.starts_with("robot, static: too few readings (4); take at least 5 of a kind"), "{error}");
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
