//! Real fitness of a swarm by segment, over several runs: Tables 8.3 and 8.4 of the thesis, and the corresponding
//! figure.

use serde::{Deserialize, Serialize};
use std::path::Path;
use xpuck_stats::figure::Figure;
use xpuck_stats::plot::{Colour, Footer, Plot, Stroke, to_svg_with};
use xpuck_stats::statistics::{Spread, student_t_975};
use xpuck_wire::file::{self, FileError};

/// Maximum number of published runs, and of segments per run.
const MOST: usize = 1000;
/// Maximum share of round trips above 100 ms in an included run (%), as in the thesis (8.4).
pub const SLOW_PERCENT: f64 = 5.0;

/// A run of a swarm: a row of Table 8.3 of the thesis.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct SwarmRun {
    /// Name of the run.
    #[serde(deserialize_with = "name")]
    pub run: String,
    /// Number of robots that died.
    pub dead: u32,
    /// Mean round-trip time (ms).
    pub ping_ms: f64,
    /// Share of round trips above 100 ms (%).
    pub slow_percent: f64,
    /// Fitness of the fittest individual of each island at the end, derated for few evaluations and averaged over the
    /// islands.
    pub evolved: f64,
    /// Real fitness of each segment with evolved trees.
    pub real: Vec<f64>,
    /// Raw value of each of these segments, if the task is a mission.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<f64>,
}

/// Reads the number of a published run as the name of the run.
fn name<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    u32::deserialize(deserializer).map(|number| number.to_string())
}

impl SwarmRun {
    /// Returns whether no robot died and at most 5 % of the round trips were slow (thesis 8.4).
    pub fn counts(&self) -> bool {
        self.dead == 0 && self.slow_percent <= SLOW_PERCENT
    }
}

/// Published runs of a swarm, with their source.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PrintedRuns {
    /// Publication that contains the runs.
    pub source: String,
    /// Published runs (1 to 1000).
    pub runs: Vec<SwarmRun>,
}

impl PrintedRuns {
    /// Reads published runs from a TOML file.
    ///
    /// # Errors
    /// If the file cannot be read, or contains invalid values. The error states the file, the cause, and the line of
    /// a syntax error.
    pub fn read(path: &Path) -> Result<PrintedRuns, FileError> {
        let name = path.display().to_string();
        let printed: PrintedRuns = file::parse(&name, &file::text(path, file::MAX_TOML)?)?;
        let numbers = |run: &SwarmRun| {
            let all = [run.ping_ms, run.slow_percent, run.evolved];
            (1..=MOST).contains(&run.real.len()) && all.iter().chain(&run.real).all(|number| number.is_finite())
        };
        match printed.runs.iter().find(|run| !numbers(run)) {
            _ if !(1..=MOST).contains(&printed.runs.len()) => {
                Err(FileError::value(&name, format!("runs: must have 1 to {MOST} entries")))
            }
            Some(run) => Err(FileError::value(
                &name,
                format!("run {}: must have 1 to {MOST} segments of finite numbers", run.run),
            )),
            None => Ok(printed),
        }
    }
}

/// Summary of several runs, as at the foot of Table 8.4 of the thesis.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Foot {
    /// Statistics of [`SwarmRun::evolved`] over the runs; `None` if no run is included.
    pub evolved: Option<Spread>,
    /// Statistics of the runs' real fitness in each segment, up to the last segment of the longest run.
    pub real: Vec<Spread>,
    /// Statistics of [`SwarmRun::values`], if the task is a mission.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub values: Vec<Spread>,
}

impl Foot {
    /// Summarises the runs that fulfil [`SwarmRun::counts`].
    pub fn from_runs(runs: &[SwarmRun]) -> Foot {
        let good: Vec<&SwarmRun> = runs.iter().filter(|run| run.counts()).collect();
        let spreads = |of: fn(&SwarmRun) -> &[f64]| -> Vec<Spread> {
            let segments = good.iter().map(|run| of(run).len()).max().unwrap_or(0);
            let sample = |i: usize| good.iter().filter_map(|run| of(run).get(i).copied()).collect::<Vec<_>>();
            (0..segments).filter_map(|i| Spread::from_sample(&sample(i))).collect()
        };
        Foot {
            evolved: Spread::from_sample(&good.iter().map(|run| run.evolved).collect::<Vec<_>>()),
            real: spreads(|run| &run.real),
            values: spreads(|run| &run.values),
        }
    }
}

/// Draws the real fitness over the segments. The figure shows each included run, the mean of the included runs, and
/// the mean of the published runs with its 95 % confidence interval.
pub fn draw(runs: &[SwarmRun], printed: Option<&PrintedRuns>) -> String {
    let mut plot = Plot::new("Real fitness of the swarm", "segment", "fitness").whole_x();
    let mut series = Vec::new();
    let mut caption = Vec::new();
    let place = |i: usize| (i + 1) as f64;
    if let Some(printed) = printed {
        let foot = Foot::from_runs(&printed.runs).real;
        let edge = |(i, spread): (usize, &Spread)| {
            let half = spread.half_interval(student_t_975(spread.n.max(2) - 1))?;
            Some((place(i), spread.mean - half, spread.mean + half))
        };
        plot.band("", Colour::Orange, foot.iter().enumerate().filter_map(edge).collect());
        plot.line("", Colour::Orange, foot.iter().enumerate().map(|(i, spread)| (place(i), spread.mean)).collect());
        series.push((printed.source.clone(), Colour::Orange.into()));
        let n = foot.first().map_or(0, |spread| spread.n);
        caption.push(format!("Band: 95 % confidence interval of the mean of the {n} printed runs that count."));
    }
    let good: Vec<&SwarmRun> = runs.iter().filter(|run| run.counts()).collect();
    for run in &good {
        let points: Vec<(f64, f64)> = run.real.iter().enumerate().map(|(i, fitness)| (place(i), *fitness)).collect();
        let note = |(x, y): &(f64, f64)| (*x, *y, format!("{}: {:.3}", run.run, Figure(*y)));
        plot.notes(points.iter().map(note).collect());
        plot.line("", Stroke::from(Colour::Blue).faint(), points);
    }
    let mean = Foot::from_runs(runs).real;
    plot.line("", Colour::Blue, mean.iter().enumerate().map(|(i, spread)| (place(i), spread.mean)).collect());
    series.push((format!("these runs, mean of {}", good.len()), Colour::Blue.into()));
    to_svg_with(&[plot], &Footer { series, caption })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn printed() -> PrintedRuns {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/experiments/table-8.3.toml");
        PrintedRuns::read(Path::new(path)).unwrap()
    }

    #[test]
    fn table_8_4_statistics_follow_from_table_8_3_runs() {
        let printed = printed();
        let good: Vec<&str> = printed.runs.iter().filter(|run| run.counts()).map(|run| run.run.as_str()).collect();
        assert_eq!((printed.runs.len(), good.len()), (29, 20));
        assert!(["4", "10", "13", "29"].iter().all(|run| !good.contains(run)));
        let foot = Foot::from_runs(&printed.runs);
        let three = |x: f64| (x * 1000.0).round() / 1000.0;
        assert_eq!(three(foot.evolved.unwrap().mean), 0.205);
        // The standard deviations in Table 8.4 divide by n. The computed standard deviations divide by n - 1 and are
        // converted.
        let deviations: Vec<f64> = foot.real.iter().map(|s| three(s.sd.unwrap() * (19.0f64 / 20.0).sqrt())).collect();
        let means: Vec<f64> = foot.real.iter().map(|s| three(s.mean)).collect();
        assert_eq!(means, [0.004, 0.003, 0.046, 0.060, 0.061, 0.033, 0.085]);
        assert_eq!(deviations, [0.053, 0.062, 0.084, 0.066, 0.054, 0.076, 0.113]);
    }

    #[test]
    fn figure_shows_each_run_and_both_means() {
        let run = |fitness: f64, dead| SwarmRun {
            run: "a < b".into(),
            dead,
            ping_ms: 1.0,
            slow_percent: 0.0,
            evolved: 0.3,
            real: vec![fitness; 7],
            values: Vec::new(),
        };
        let runs = [run(0.1, 0), run(0.3, 0), run(0.9, 2)];
        let svg = draw(&runs, Some(&printed()));
        let document = roxmltree::Document::parse(&svg).unwrap();
        let with = |class: &str| document.descendants().filter(|n| n.attribute("class") == Some(class)).count();
        // The two faint lines show the runs without dead robots. The other four lines are the two means in the plot,
        // and their two samples in the legend.
        assert_eq!((with("line faint"), with("line")), (2, 4));
        assert!(svg.contains("these runs, mean of 2") && svg.contains("20 printed runs"));
        assert_eq!(Foot::from_runs(&runs).real[0].mean, 0.2);
        assert!(Foot::from_runs(&runs[2..]).real.is_empty() && draw(&runs[2..], None).contains("mean of 0"));
    }

    #[test]
    fn unrelated_or_invalid_file_is_rejected() {
        let dir = tempfile::tempdir().unwrap();
        let refusal = |text: &str| {
            std::fs::write(dir.path().join("p.toml"), text).unwrap();
            let error = PrintedRuns::read(&dir.path().join("p.toml")).unwrap_err().to_string();
            assert_eq!(error.lines().count(), 1);
            error
        };
        let row = |real: &str| {
            format!(
                "source = \"s\"\nruns = [{{ run = 1, dead = 0, ping_ms = 1, slow_percent = 0, evolved = nan, real = {real} }}]"
            )
        };
        assert!(refusal("source = \"s\"\nruns = []").contains("runs: must have 1 to 1000"));
        assert!(refusal(&row("[0.1]")).contains("run 1: must have 1 to"));
        assert!(refusal("source = 1").contains("line 1"));
    }
}
