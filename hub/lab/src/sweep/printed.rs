//! Numbers that a publication prints of an experiment, and what the sweep's runs say to them.

use super::curves::{Step, mean_course};
use super::point::Point;
use super::summary::Readable;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use xpuck_kernels::tree::{Program, Tree};
use xpuck_stats::figure::Figure;
use xpuck_stats::statistics::{Spread, quantile};

/// Most printed numbers of a sweep.
const MAX_PRINTED: usize = 100;
/// Longest text of one.
const MAX_WORDS: usize = 120;
/// Most runs that are printed one by one.
const MAX_RUNS: usize = 1000;

/// A printed number, or those of several printed runs.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Printed {
    /// What it is, in words.
    pub what: String,
    /// Label of the point that it is of; may be left out where there is only one.
    pub point: Option<String>,
    /// What of each run.
    pub of: Quantity,
    /// What over the runs.
    #[serde(default)]
    pub take: Take,
    /// The level of "reaches" and "up_to".
    pub level: Option<f64>,
    /// What is printed: a number, or one for each run, of which the same is taken.
    pub thesis: Numbers,
    /// Where it is printed.
    pub source: String,
}

/// What a printed number says of each run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// The curve's last value.
    End,
    /// The curve's highest value.
    Highest,
    /// The curve's values together.
    Sum,
    /// Mean fitness of the populations at the end.
    Population,
    /// The best champion, measured again on fresh seeds.
    Remeasured,
    /// Free part of a robot's memory under that champion.
    Parsimony,
}

/// What is taken of all runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Take {
    /// Their mean.
    #[default]
    Mean,
    /// Their median.
    Median,
    /// The greatest.
    Greatest,
    /// The least.
    Least,
    /// The part of the runs that is at most `level`.
    UpTo,
    /// The first generation in which the mean curve is `level` or more.
    Reaches,
}

/// One number or several.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Numbers {
    /// One.
    One(f64),
    /// One for each run.
    Runs(Vec<f64>),
}

/// What the runs of a point found.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// Their curves.
    pub courses: Vec<Vec<Step>>,
    /// Mean fitness of their populations at the end.
    pub populations: Vec<f64>,
    /// Their results.
    pub results: Vec<Map<String, Value>>,
}

/// A printed number beside the runs' own.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Compared {
    /// The point's label.
    pub point: String,
    /// What it is, in words.
    pub what: String,
    /// Where it is printed.
    pub source: String,
    /// What is printed.
    pub thesis: Option<f64>,
    /// Over the printed runs, if they are printed one by one.
    pub thesis_spread: Option<Spread>,
    /// The runs' own; none if no run is done, or a level is never reached.
    pub here: Option<f64>,
    /// Over the runs; none where they say it together.
    pub spread: Option<Spread>,
    /// Number of runs.
    pub runs: usize,
}

impl Printed {
    /// The place of its point, or what is wrong with it.
    fn place(&self, points: &[Point]) -> Result<usize, String> {
        match &self.point {
            None if points.len() == 1 => Ok(0),
            None => Err("point is missing; it takes the label of one of several points".into()),
            Some(label) => {
                let place = points.iter().position(|point| point.label == *label);
                place.ok_or_else(|| format!("point = {label:?}: no point has this label"))
            }
        }
    }

    fn check(&self, points: &[Point]) -> Result<(), String> {
        self.place(points)?;
        for (key, text) in [("what", &self.what), ("source", &self.source)] {
            if !(1..=MAX_WORDS).contains(&text.chars().count()) {
                return Err(format!("{key} takes 1 to {MAX_WORDS} letters"));
            }
        }
        let needs = matches!(self.take, Take::UpTo | Take::Reaches);
        match self.level {
            None if needs => return Err("level is missing, which `take` needs".into()),
            Some(_) if !needs => return Err("level goes with take = \"up_to\" or \"reaches\" only".into()),
            Some(level) if !level.is_finite() => return Err(format!("level = {level} is no number")),
            _ => {}
        }
        let (numbers, one) = match &self.thesis {
            Numbers::One(number) => (std::slice::from_ref(number), true),
            Numbers::Runs(runs) => (runs.as_slice(), false),
        };
        if numbers.is_empty() || numbers.len() > MAX_RUNS || numbers.iter().any(|n| !n.is_finite()) {
            return Err(format!("thesis takes a number, or a list of 1 to {MAX_RUNS}"));
        }
        match self.take {
            Take::Reaches if !one => Err("thesis takes one number where `take` is \"reaches\"".into()),
            Take::Reaches if self.of != Quantity::End => Err("of = \"end\" goes with take = \"reaches\"".into()),
            _ => Ok(()),
        }
    }

    fn compare(&self, point: &str, found: &Found) -> Compared {
        let values = self.of.values(found);
        let here = match (self.take, self.level) {
            (Take::Reaches, Some(level)) => {
                let course = mean_course(&found.courses);
                course.iter().find(|step| step.mean >= level).map(|step| f64::from(step.generation))
            }
            _ => self.taken(&values),
        };
        let (thesis, thesis_spread) = match &self.thesis {
            Numbers::One(number) => (Some(*number), None),
            Numbers::Runs(runs) => (self.taken(runs), Spread::of(runs)),
        };
        Compared {
            point: point.into(),
            what: self.what.clone(),
            source: self.source.clone(),
            thesis,
            thesis_spread,
            here,
            spread: Spread::of(&values).filter(|_| self.take != Take::Reaches),
            runs: values.len(),
        }
    }

    /// Of the runs' values.
    fn taken(&self, values: &[f64]) -> Option<f64> {
        let spread = Spread::of(values)?;
        Some(match self.take {
            Take::Greatest => spread.max,
            Take::Least => spread.min,
            Take::Median => {
                let mut sorted = values.to_vec();
                sorted.sort_by(f64::total_cmp);
                quantile(&sorted, 0.5)
            }
            Take::UpTo => {
                values.iter().filter(|v| **v <= self.level.unwrap_or(0.0)).count() as f64 / values.len() as f64
            }
            Take::Mean | Take::Reaches => spread.mean,
        })
    }
}

impl Quantity {
    /// One for each run that tells it.
    fn values(self, found: &Found) -> Vec<f64> {
        let of_courses = |value: fn(&[Step]) -> Option<f64>| found.courses.iter().filter_map(|c| value(c)).collect();
        let of_results =
            |value: fn(&Map<String, Value>) -> Option<f64>| found.results.iter().filter_map(value).collect();
        match self {
            Quantity::End => of_courses(|course| course.last().map(|step| step.value)),
            Quantity::Highest => of_courses(|course| course.iter().map(|step| step.value).reduce(f64::max)),
            Quantity::Sum => of_courses(|course| Some(course.iter().map(|step| step.value).sum())),
            Quantity::Population => found.populations.clone(),
            Quantity::Remeasured => of_results(|result| result.get("remeasured_best")?.as_f64()),
            Quantity::Parsimony => of_results(|result| {
                let tree = Tree::parse(result.get("best_tree")?.as_str()?).ok()?;
                Some(f64::from(Program::compile(&tree).ok()?.parsimony()))
            }),
        }
    }
}

/// Checks the printed numbers of a sweep.
///
/// # Errors
/// Which one, its key, and what may stand there.
pub fn check(printed: &[Printed], points: &[Point]) -> Result<(), String> {
    if printed.len() > MAX_PRINTED {
        return Err(format!("printed has {} entries; at most {MAX_PRINTED} are allowed", printed.len()));
    }
    let each = |(i, one): (usize, &Printed)| one.check(points).map_err(|message| format!("printed {i}: {message}"));
    (1..).zip(printed).try_for_each(each)
}

/// All printed numbers beside what the points' runs found; they must have passed [`check`].
pub fn compare(printed: &[Printed], points: &[Point], found: &[Found]) -> Vec<Compared> {
    let one = |p: &Printed| p.place(points).ok().map(|place| p.compare(&points[place].label, &found[place]));
    printed.iter().filter_map(one).collect()
}

/// As a table for readers.
pub fn table(compared: &[Compared]) -> Readable {
    let number = |x: Option<f64>| x.map_or("-".into(), |x| format!("{:.3}", Figure(x)));
    let part = |spread: &Option<Spread>, value: fn(&Spread) -> Option<f64>| number(spread.as_ref().and_then(value));
    let row = |c: &Compared| {
        vec![
            c.what.clone(),
            c.point.clone(),
            c.source.clone(),
            number(c.thesis),
            part(&c.thesis_spread, |s| s.sd),
            number(c.here),
            part(&c.spread, |s| s.sd),
            part(&c.spread, |s| Some(s.min)),
            part(&c.spread, |s| Some(s.max)),
            c.runs.to_string(),
        ]
    };
    let head = ["number", "setting", "source", "thesis", "sd", "here", "sd over runs", "min", "max", "runs"];
    Readable {
        title: "Printed in the thesis, and here".into(),
        head: head.map(String::from).into(),
        rows: compared.iter().map(row).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sweep::file::parse;
    use std::path::Path;

    const SWEEP: &str =
        "name = \"s\"\nseeds = \"1-2\"\n[[points]]\nlabel = \"a\"\n[[points]]\nlabel = \"b\"\nislands = 2\n";

    fn printed(text: &str) -> Result<Vec<Printed>, String> {
        let text = format!("{SWEEP}[[printed]]\nwhat = \"w\"\nsource = \"1.1\"\n{text}\n");
        parse("s.toml", &text, Path::new(".")).map(|sweep| sweep.printed).map_err(|error| error.to_string())
    }

    fn found() -> Found {
        let step = |generation: u32, value: f64| Step { generation, robot_seconds: 0.0, value };
        let result = |fitness: f64| {
            let tree = "seq\n  successl\n  failurel\n";
            serde_json::json!({ "remeasured_best": fitness, "best_tree": tree }).as_object().unwrap().clone()
        };
        Found {
            courses: vec![vec![step(1, 0.3), step(2, 0.1)], vec![step(1, 0.1), step(2, 0.5)]],
            populations: vec![0.01, 0.03],
            results: vec![result(0.2), result(0.4)],
        }
    }

    #[test]
    fn each_quantity_is_taken_of_all_runs() {
        for (text, thesis, here) in [
            ("of = \"end\"\nthesis = 0.5", 0.5, 0.3),
            ("of = \"end\"\ntake = \"greatest\"\nthesis = [0.2, 0.7]", 0.7, 0.5),
            ("of = \"highest\"\ntake = \"least\"\nthesis = [0.2, 0.7]", 0.2, 0.3),
            ("of = \"end\"\ntake = \"median\"\nthesis = [0.1, 0.2, 0.7]", 0.2, 0.3),
            ("of = \"sum\"\nthesis = 2", 2.0, 0.5),
            ("of = \"highest\"\ntake = \"up_to\"\nlevel = 0.3\nthesis = 0.7", 0.7, 0.5),
            ("of = \"end\"\ntake = \"reaches\"\nlevel = 0.25\nthesis = 25", 25.0, 2.0),
            ("of = \"population\"\nthesis = [0.0, 0.02]", 0.01, 0.02),
            ("of = \"remeasured\"\nthesis = 0.1", 0.1, 0.3),
        ] {
            let printed = printed(&format!("point = \"b\"\n{text}")).unwrap();
            let points = parse("s.toml", SWEEP, Path::new(".")).unwrap().points;
            let compared = compare(&printed, &points, &[Found::default(), found()]).remove(0);
            assert!((compared.here.unwrap() - here).abs() < 1e-12, "{text}: {compared:?}");
            assert!((compared.thesis.unwrap() - thesis).abs() < 1e-12 && compared.point == "b", "{text}: {compared:?}");
            assert_eq!((compared.runs, compared.spread.is_none()), (2, text.contains("reaches")), "{text}");
        }
        let points = parse("s.toml", SWEEP, Path::new(".")).unwrap().points;
        let never = printed("point = \"a\"\nof = \"end\"\ntake = \"reaches\"\nlevel = 0.9\nthesis = 25").unwrap();
        let compared = compare(&never, &points, &[found(), Found::default()]);
        assert_eq!((compared[0].here, compared[0].thesis_spread), (None, None));
        assert_eq!(table(&compared).rows[0][3..6], ["25.000", "-", "-"]);
        let parsimony = printed("point = \"a\"\nof = \"parsimony\"\nthesis = 0.8").unwrap();
        let compared = compare(&parsimony, &points, &[found(), Found::default()]);
        assert!((0.99..1.0).contains(&compared[0].here.unwrap()), "{compared:?}");
        let none = compare(&parsimony, &points, &[Found::default(), Found::default()]);
        assert_eq!((none[0].here, none[0].spread, none[0].thesis), (None, None, Some(0.8)));
    }

    #[test]
    fn what_is_wrong_is_said_with_its_key() {
        for (text, expected) in [
            ("of = \"end\"\nthesis = 1", "printed 1: point is missing"),
            ("of = \"end\"\nthesis = 1\npoint = \"c\"", "printed 1: point = \"c\": no point has this label"),
            ("of = \"end\"\nthesis = []\npoint = \"a\"", "printed 1: thesis takes a number, or a list"),
            ("of = \"end\"\nthesis = 1\nlevel = 2\npoint = \"a\"", "printed 1: level goes with"),
            ("of = \"end\"\nthesis = 1\ntake = \"up_to\"\npoint = \"a\"", "printed 1: level is missing"),
            ("of = \"sum\"\ntake = \"reaches\"\nlevel = 1\nthesis = 1\npoint = \"a\"", "printed 1: of = \"end\""),
            ("of = \"luck\"\nthesis = 1", "unknown variant `luck`"),
        ] {
            let error = printed(text).unwrap_err();
            assert!(error.contains(expected) && error.lines().count() == 1, "{text}: {error}");
        }
    }
}
