//! `xpuck runs table`.

use super::{print, print_problems};
use crate::files::tree_file::{refuse_over, write};
use crate::terminal::print_json;
use crate::terminal::progress::Progress;
use anyhow::{Result, bail};
use clap::Args;
use schemars::JsonSchema;
use serde::Serialize;
use std::fmt::Write;
use std::path::{Path, PathBuf};
use xpuck_hub_service::catalogue::{Catalogue, Row, results::Results};
use xpuck_lab::report::collect::experiment;
use xpuck_lab::segments::{Foot, PrintedRuns, SwarmRun, draw};
use xpuck_record::run_file::RunFile;
use xpuck_stats::figure::Figure;
use xpuck_stats::statistics::Spread;
use xpuck_wire::output::{self, count, significant};

/// Compare runs segment by segment, as Tables 8.3 and 8.4 of the thesis do.
///
/// Each row is a run. Column D is the number of robot losses. Column P is 1 if more than 5 % of the round trips took
/// longer than 100 ms, else 0. The next columns are the mean round trip, the share of round trips above 100 ms, and
/// the final fitness of the islands' fittest trees, averaged over the islands. The last columns are the real fitness
/// of each segment in which evolved trees drove; for missions, the raw values of the formula follow. Mean and standard deviation exclude runs in which D or P is not 0.
/// Runs that differ in task, number of robots or length are in separate tables. A run that cannot be read is reported
/// and left out, and the exit code is 1.
#[derive(Args)]
pub struct TableArgs {
    /// Runs [default: all finished runs of the record directory].
    #[arg(value_name = "RUN")]
    chosen: Vec<String>,
    /// File with published runs; their mean and standard deviation are printed too.
    #[arg(long, value_name = "FILE")]
    printed: Option<PathBuf>,
    /// SVG file for a plot of real fitness by segment.
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
    /// Print one JSON object.
    #[arg(long)]
    json: bool,
}

/// Function that returns a statistic for a summary row, such as the mean. It returns `None` if the statistic is
/// undefined for the number of runs.
type Statistic = fn(&Spread) -> Option<f64>;

/// Runs of one experiment.
#[derive(Serialize, JsonSchema)]
struct Group {
    /// Description of the experiment, as text.
    experiment: String,
    /// Runs of the experiment.
    runs: Vec<SwarmRun>,
    /// Mean and spread of the runs.
    foot: Foot,
}

/// Prints one table for each experiment. If a run cannot be read, the others are printed and the result is an error.
pub fn table(root: &Path, args: &TableArgs) -> Result<()> {
    refuse_over(&args.printed, &args.svg)?;
    let printed = args.printed.as_deref().map(PrintedRuns::read).transpose()?;
    let mut left_out = Vec::new();
    let directories = match args.chosen.as_slice() {
        [] => finished_runs(root, &mut left_out)?,
        named => named.iter().map(|run| super::find(root, run)).collect::<Result<_>>()?,
    };
    if directories.is_empty() && left_out.is_empty() {
        bail!(
            "{}: holds no finished run; set another record directory with --folder DIR, or list current runs with \
             `xpuck runs list`",
            root.display()
        );
    }
    let progress = Progress::steps("run", directories.len() as u64, args.json);
    let mut found = Vec::new();
    for directory in &directories {
        match read(root, directory) {
            Ok(run) => found.push(run),
            Err(error) => {
                let line = format!("{}: {}", directory.display(), output::error_chain(error.as_ref()));
                // The errors of the catalogue may already include this run.
                if !left_out.iter().any(|told: &String| told.contains(&*directory.to_string_lossy())) {
                    left_out.push(line);
                }
            }
        }
        progress.inc();
    }
    drop(progress);
    print_problems(&left_out);
    let groups = groups(found);
    match (&args.svg, groups.as_slice()) {
        (Some(file), [group]) => write(file, draw(&group.runs, printed.as_ref()).as_bytes())?,
        (Some(file), [_, _, ..]) => {
            let names: Vec<&str> = groups.iter().map(|group| group.experiment.as_str()).collect();
            bail!(
                "--svg {}: draws the runs of one experiment, but these are of several ({}); choose the runs to draw",
                file.display(),
                names.join("; ")
            );
        }
        _ => {}
    }
    if args.json {
        let printed =
            printed.as_ref().map(|p| Printed { source: &p.source, runs: &p.runs, foot: Foot::from_runs(&p.runs) });
        print_json(&comparison(&groups, printed, &left_out))?;
    } else {
        for group in &groups {
            if groups.len() > 1 {
                print(&format!("{}:\n", group.experiment))?;
            }
            print(&text(&group.runs, &group.foot, printed.as_ref())?)?;
            if groups.len() > 1 {
                print("\n")?;
            }
        }
    }
    match left_out.len() {
        0 => Ok(()),
        n => bail!("{} could not be read and {} left out", count(n, "run", "runs"), if n == 1 { "is" } else { "are" }),
    }
}

/// Comparison of runs, as `--json` prints it.
#[derive(Serialize, JsonSchema)]
pub struct Comparison<'a> {
    /// All runs.
    runs: Vec<&'a SwarmRun>,
    /// Mean and spread of all runs; `null` if the runs are of several experiments.
    foot: Option<&'a Foot>,
    /// Runs, grouped by experiment.
    experiments: &'a [Group],
    /// Published runs from the file of `--printed`; `null` without the option.
    printed: Option<Printed<'a>>,
    /// Error of each run that could not be read.
    left_out: &'a [String],
}

/// Runs of a publication, for comparison.
#[derive(Serialize, JsonSchema)]
struct Printed<'a> {
    /// Name of the publication.
    source: &'a str,
    /// Runs of the publication.
    runs: &'a [SwarmRun],
    /// Mean and spread of the runs.
    foot: Foot,
}

fn comparison<'a>(groups: &'a [Group], printed: Option<Printed<'a>>, left_out: &'a [String]) -> Comparison<'a> {
    let foot = match groups {
        [group] => Some(&group.foot),
        _ => None,
    };
    let runs = groups.iter().flat_map(|group| &group.runs).collect();
    Comparison { runs, foot, experiments: groups, printed, left_out }
}

/// Groups the runs by experiment, in the order of first occurrence.
fn groups(found: Vec<(String, SwarmRun)>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for (experiment, run) in found {
        match groups.iter_mut().find(|group| group.experiment == experiment) {
            Some(group) => group.runs.push(run),
            None => groups.push(Group { experiment, runs: vec![run], foot: Foot::from_runs(&[]) }),
        }
    }
    groups.iter_mut().for_each(|group| group.foot = Foot::from_runs(&group.runs));
    groups
}

/// Returns the directories of the finished runs, oldest first. Errors of the catalogue are added to `left_out`.
fn finished_runs(root: &Path, left_out: &mut Vec<String>) -> Result<Vec<PathBuf>> {
    let catalogue = Catalogue::open(root)?;
    left_out.extend_from_slice(catalogue.errors());
    Ok(catalogue.rows()?.into_iter().filter(|row| row.state != "running").map(|row| root.join(row.id)).collect())
}

/// Reads a run and the description of its experiment.
fn read(root: &Path, directory: &Path) -> Result<(String, SwarmRun)> {
    let row = Row::read(root, directory)?;
    let results = Results::read(directory)?;
    print_problems(&results.damage);
    let trips: Vec<f64> = results.robots.iter().filter_map(|robot| robot.round_trip_ms).collect();
    let run = SwarmRun {
        run: row.id,
        dead: row.dead,
        ping_ms: results.round_trip_ms.unwrap_or(trips.iter().sum::<f64>() / trips.len().max(1) as f64),
        slow_percent: 100.0 * row.slow_round_trips,
        evolved: row.evolved_fitness,
        real: results.segments.iter().map(|segment| segment.fitness).collect(),
        values: results.segments.iter().map(|segment| segment.value).collect::<Option<_>>().unwrap_or_default(),
    };
    Ok((experiment(&RunFile::read(directory)?), run))
}

fn text(runs: &[SwarmRun], foot: &Foot, printed: Option<&PrintedRuns>) -> Result<String> {
    let printed = printed.map(|printed| (printed, Foot::from_runs(&printed.runs)));
    let printed_segments = printed.as_ref().map_or(0, |(_, foot)| foot.real.len());
    let segments = runs.iter().map(|run| run.real.len()).max().unwrap_or(0).max(printed_segments);
    let wide = runs.iter().map(|run| run.run.chars().count()).max().unwrap_or(0).max(24);
    let mut text = String::new();
    let mut head: String = (1..=segments).map(|i| format!("  {:>7}", format!("real {i}"))).collect();
    // Only missions have raw values.
    let valued = runs.iter().map(|run| run.values.len()).max().unwrap_or(0);
    head.extend((1..=valued).map(|i| format!("  {:>8}", format!("value {i}"))));
    let value_cells = |values: &mut dyn Iterator<Item = Option<f64>>| -> String {
        values.map(|x| format!("  {:>8}", x.map_or("-".into(), significant))).collect()
    };
    writeln!(text, "{:<wide$}  D  P  ping ms  slow %  evolved{head}", "run")?;
    let cells = |numbers: &mut dyn Iterator<Item = Option<f64>>| -> String {
        numbers.map(|x| x.map_or(format!("  {:>7}", "-"), |x| format!("  {:>+7.3}", Figure(x)))).collect()
    };
    for run in runs {
        let slow = u32::from(!(SwarmRun { dead: 0, ..run.clone() }).counts());
        let of = |i: usize| run.real.get(i).copied();
        let real = match valued {
            0 => cells(&mut run.real.iter().map(|fitness| Some(*fitness))),
            _ => cells(&mut (0..segments).map(of)),
        };
        let real = real + &value_cells(&mut run.values.iter().map(|value| Some(*value)));
        let SwarmRun { run, dead, ping_ms, slow_percent, evolved, .. } = run;
        let evolved = Figure(*evolved);
        writeln!(text, "{run:<wide$}  {dead}  {slow}  {ping_ms:>7.2}  {slow_percent:>6.2}  {evolved:>+7.3}{real}")?;
    }
    let mut summary = |name: &str, foot: &Foot| -> Result<()> {
        let n = foot.evolved.map_or(0, |spread| spread.n);
        let statistics: [(&str, Statistic); 2] = [("mean", |s| Some(s.mean)), ("sd", |s| s.sd)];
        for (what, value) in statistics {
            let mut numbers = [foot.evolved.as_ref().and_then(value)].into_iter().chain(foot.real.iter().map(value));
            writeln!(
                text,
                "{:<wide$}                       {}",
                format!("{name}: {what} of {n}"),
                cells(&mut numbers) + &value_cells(&mut foot.values.iter().map(value))
            )?;
        }
        Ok(())
    };
    summary("here", foot)?;
    if let Some((printed, foot)) = &printed {
        summary(&printed.source, foot)?;
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_missions_have_columns_of_values() {
        let run = |values: &[f64]| SwarmRun {
            run: "x".into(),
            dead: 0,
            ping_ms: 1.0,
            slow_percent: 0.0,
            evolved: 0.5,
            real: vec![0.42, 0.1],
            values: values.to_vec(),
        };
        let table = |run: SwarmRun| {
            text(std::slice::from_ref(&run), &Foot::from_runs(std::slice::from_ref(&run)), None).unwrap()
        };
        let lines = |text: &str| -> Vec<String> { text.lines().map(String::from).collect() };
        let with = lines(&table(run(&[25.2, 6.0])));
        assert!(with[0].ends_with("   real 1   real 2   value 1   value 2"), "{with:?}");
        assert!(with[1].ends_with("   +0.420   +0.100      25.2         6"), "{with:?}");
        assert!(with[2].ends_with("   +0.420   +0.100      25.2         6"), "{with:?}");
        assert!(with.iter().all(|line| line.len() == with[0].len()), "{with:?}");
        assert!(!table(run(&[])).contains("value"));
    }

    #[test]
    fn each_experiment_has_own_mean() {
        let run = |experiment: &str, evolved: f64| {
            let (run, real) = (format!("{experiment}-{evolved}"), vec![evolved]);
            (
                experiment.into(),
                SwarmRun { run, dead: 0, ping_ms: 1.0, slow_percent: 0.0, evolved, real, values: Vec::new() },
            )
        };
        let found = vec![run("transport", 0.1), run("foraging", 20.0), run("transport", 0.3)];
        let mixed = groups(found);
        let means: Vec<(&str, f64)> =
            mixed.iter().map(|group| (group.experiment.as_str(), group.foot.real[0].mean)).collect();
        assert_eq!(means, [("transport", 0.2), ("foraging", 20.0)]);
        let left_out = ["x: damaged".to_string()];
        let several = comparison(&mixed, None, &left_out);
        assert_eq!((several.foot.is_none(), several.runs.len()), (true, 3));
        assert_eq!(several.experiments[1].foot.evolved.unwrap().mean, 20.0);
        assert_eq!(several.left_out, left_out);
        let one = groups(vec![run("transport", 0.5)]);
        assert_eq!(comparison(&one, None, &[]).foot.unwrap().evolved.unwrap().mean, 0.5);
    }
}
