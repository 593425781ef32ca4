//! Published numbers of an experiment, for comparison with the sweep's runs.

use super::curves::{Step, mean_course};
use super::point::Point;
use super::summary::Readable;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use xpuck_kernels::tree::{Program, Tree};
use xpuck_stats::figure::Figure;
use xpuck_stats::statistics::{Spread, quantile};

/// Maximum number of published numbers of a sweep.
const MAX_PRINTED: usize = 100;
/// Maximum length of a description or source (characters).
const MAX_WORDS: usize = 120;
/// Maximum number of published values in one entry, if each published run has its own value.
const MAX_RUNS: usize = 1000;

/// Published number or list of numbers, and the quantity of the sweep's runs to compare with it.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Printed {
    /// Description of the number.
    pub what: String,
    /// Label of the point to compare with. Optional if there is only one point.
    pub point: Option<String>,
    /// Quantity that is taken from each run.
    pub of: Quantity,
    /// Statistic of the quantity over the runs.
    #[serde(default)]
    pub take: Take,
    /// Level of the statistics "reaches" and "up_to", which require it.
    pub level: Option<f64>,
    /// Published value: one number, or one number for each published run. The same statistic is applied to the
    /// published runs.
    pub thesis: Numbers,
    /// Publication that contains the value.
    pub source: String,
}

/// Quantity that is taken from each run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Quantity {
    /// Last value of the curve.
    End,
    /// Highest value of the curve.
    Highest,
    /// Sum of the curve's values.
    Sum,
    /// Mean fitness of the populations at the end of the run.
    Population,
    /// Fitness of the best champion, remeasured on fresh seeds.
    Remeasured,
    /// Share of a robot's memory that the best champion leaves free.
    Parsimony,
}

/// Statistic over all runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Take {
    /// Mean.
    #[default]
    Mean,
    /// Median.
    Median,
    /// Maximum.
    Greatest,
    /// Minimum.
    Least,
    /// Share of the runs whose value is at most `level`.
    UpTo,
    /// First generation in which the mean curve is at least `level`.
    Reaches,
}

/// Published value of all runs together, or of each run.
#[derive(Clone, Debug, PartialEq, Deserialize, JsonSchema)]
#[serde(untagged)]
pub enum Numbers {
    /// Number for all runs together.
    One(f64),
    /// One number for each run.
    Runs(Vec<f64>),
}

/// Results of the runs of a point.
#[derive(Clone, Debug, Default)]
pub struct PointResults {
    /// Curves of the runs.
    pub courses: Vec<Vec<Step>>,
    /// Mean fitness of each run's populations at its end.
    pub populations: Vec<f64>,
    /// Contents of the runs' result files.
    pub results: Vec<Map<String, Value>>,
}

/// Published number, and the corresponding value of the sweep's runs.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Compared {
    /// Label of the point.
    pub point: String,
    /// Description of the number.
    pub what: String,
    /// Publication that contains the number.
    pub source: String,
    /// Published value. `None` if it cannot be computed from the published runs.
    pub thesis: Option<f64>,
    /// Spread of the published runs. `None` unless they are published individually.
    pub thesis_spread: Option<Spread>,
    /// Corresponding value of the sweep's runs. `None` if no run has a value, or the level is never reached.
    pub here: Option<f64>,
    /// Spread over the sweep's runs. `None` if no run has a value, or if the statistic is "reaches", which applies to
    /// the mean curve.
    pub spread: Option<Spread>,
    /// Number of the sweep's runs that have a value of this quantity.
    pub runs: usize,
}

impl Printed {
    /// Returns the index of the point to compare with.
    fn place(&self, points: &[Point]) -> Result<usize, String> {
        match &self.point {
            None if points.len() == 1 => Ok(0),
            None => Err("point is missing; set it to the label of one of the points".into()),
            Some(label) => {
                let place = points.iter().position(|point| point.label == *label);
                place.ok_or_else(|| format!("point = {label:?}: no point has this label; choose the label of a point"))
            }
        }
    }

    fn check(&self, points: &[Point]) -> Result<(), String> {
        self.place(points)?;
        for (key, text) in [("what", &self.what), ("source", &self.source)] {
            if !(1..=MAX_WORDS).contains(&text.chars().count()) {
                return Err(format!("{key} must have 1 to {MAX_WORDS} characters"));
            }
        }
        let needs = matches!(self.take, Take::UpTo | Take::Reaches);
        match self.level {
            None if needs => return Err("level is missing; this `take` requires it".into()),
            Some(_) if !needs => return Err("level is allowed only with take = \"up_to\" or \"reaches\"".into()),
            Some(level) if !level.is_finite() => return Err(format!("level = {level} must be a finite number")),
            _ => {}
        }
        let (numbers, one) = match &self.thesis {
            Numbers::One(number) => (std::slice::from_ref(number), true),
            Numbers::Runs(runs) => (runs.as_slice(), false),
        };
        if numbers.is_empty() || numbers.len() > MAX_RUNS || numbers.iter().any(|n| !n.is_finite()) {
            return Err(format!("thesis must be a number, or a list of 1 to {MAX_RUNS} numbers"));
        }
        match self.take {
            Take::Reaches if !one => Err("thesis must be one number if `take` is \"reaches\"".into()),
            Take::Reaches if self.of != Quantity::End => Err("take = \"reaches\" requires of = \"end\"".into()),
            _ => Ok(()),
        }
    }

    fn compare(&self, point: &str, found: &PointResults) -> Compared {
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
            Numbers::Runs(runs) => (self.taken(runs), Spread::from_sample(runs)),
        };
        Compared {
            point: point.into(),
            what: self.what.clone(),
            source: self.source.clone(),
            thesis,
            thesis_spread,
            here,
            spread: Spread::from_sample(&values).filter(|_| self.take != Take::Reaches),
            runs: values.len(),
        }
    }

    /// Returns the statistic of the runs' values. `None` if `values` is empty.
    fn taken(&self, values: &[f64]) -> Option<f64> {
        let spread = Spread::from_sample(values)?;
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
    /// Returns this quantity for each run that has a value of it.
    fn values(self, found: &PointResults) -> Vec<f64> {
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

/// Validates the published numbers of a sweep.
///
/// # Errors
/// If an entry is invalid. The message contains the entry, its key, and its valid values.
pub fn check(printed: &[Printed], points: &[Point]) -> Result<(), String> {
    if printed.len() > MAX_PRINTED {
        return Err(format!("printed has {} entries; at most {MAX_PRINTED} are allowed", printed.len()));
    }
    let each = |(i, one): (usize, &Printed)| one.check(points).map_err(|message| format!("printed {i}: {message}"));
    (1..).zip(printed).try_for_each(each)
}

/// Compares all published numbers with the results of the points' runs. The numbers must be valid according to
/// [`check`].
pub fn compare(printed: &[Printed], points: &[Point], found: &[PointResults]) -> Vec<Compared> {
    let one = |p: &Printed| p.place(points).ok().map(|place| p.compare(&points[place].label, &found[place]));
    printed.iter().filter_map(one).collect()
}

/// Returns the comparison as a table of text.
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
        title: "Values of the thesis and of this sweep".into(),
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

    fn found() -> PointResults {
        let step = |generation: u32, value: f64| Step { generation, robot_seconds: 0.0, value };
        let result = |fitness: f64| {
            let tree = "seq\n  successl\n  failurel\n";
            serde_json::json!({ "remeasured_best": fitness, "best_tree": tree }).as_object().unwrap().clone()
        };
        PointResults {
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
            let compared = compare(&printed, &points, &[PointResults::default(), found()]).remove(0);
            assert!((compared.here.unwrap() - here).abs() < 1e-12, "{text}: {compared:?}");
            assert!((compared.thesis.unwrap() - thesis).abs() < 1e-12 && compared.point == "b", "{text}: {compared:?}");
            assert_eq!((compared.runs, compared.spread.is_none()), (2, text.contains("reaches")), "{text}");
        }
        let points = parse("s.toml", SWEEP, Path::new(".")).unwrap().points;
        let never = printed("point = \"a\"\nof = \"end\"\ntake = \"reaches\"\nlevel = 0.9\nthesis = 25").unwrap();
        let compared = compare(&never, &points, &[found(), PointResults::default()]);
        assert_eq!((compared[0].here, compared[0].thesis_spread), (None, None));
        assert_eq!(table(&compared).rows[0][3..6], ["25.000", "-", "-"]);
        let parsimony = printed("point = \"a\"\nof = \"parsimony\"\nthesis = 0.8").unwrap();
        let compared = compare(&parsimony, &points, &[found(), PointResults::default()]);
        assert!((0.99..1.0).contains(&compared[0].here.unwrap()), "{compared:?}");
        let none = compare(&parsimony, &points, &[PointResults::default(), PointResults::default()]);
        assert_eq!((none[0].here, none[0].spread, none[0].thesis), (None, None, Some(0.8)));
    }

    #[test]
    fn errors_are_reported_with_key() {
        for (text, expected) in [
            ("of = \"end\"\nthesis = 1", "printed 1: point is missing"),
            ("of = \"end\"\nthesis = 1\npoint = \"c\"", "printed 1: point = \"c\": no point has this label"),
            ("of = \"end\"\nthesis = []\npoint = \"a\"", "printed 1: thesis must be a number, or a list"),
            ("of = \"end\"\nthesis = 1\nlevel = 2\npoint = \"a\"", "printed 1: level is allowed only with"),
            ("of = \"end\"\nthesis = 1\ntake = \"up_to\"\npoint = \"a\"", "printed 1: level is missing"),
            (
                "of = \"sum\"\ntake = \"reaches\"\nlevel = 1\nthesis = 1\npoint = \"a\"",
                "printed 1: take = \"reaches\" requires",
            ),
            ("of = \"luck\"\nthesis = 1", "unknown variant `luck`"),
        ] {
            let error = printed(text).unwrap_err();
            assert!(error.contains(expected) && error.lines().count() == 1, "{text}: {error}");
        }
    }
}
