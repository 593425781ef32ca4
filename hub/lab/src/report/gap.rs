//! Chapter of the report on the reality gap. It compares the last segment of each run with simulations of the same
//! trees on the same robots (thesis 8.7.1).

use super::collect::RunFacts;
use super::page::Section;
use crate::measure::{Plan, fitness_of_team};
use crate::study::p_value;
use crate::sweep::summary::Readable;
use serde::Serialize;
use xpuck_kernels::engine::{Engine, Team};
use xpuck_kernels::tree::Program;
use xpuck_stats::figure::Figure;
use xpuck_stats::plot::{Colour, Footer, Plot, Stroke, to_svg_with};
use xpuck_stats::statistics::effect::hedges_g;
use xpuck_stats::statistics::normality::shapiro_wilk;
use xpuck_stats::statistics::t::{paired, student};
use xpuck_stats::statistics::{Spread, holm, mann_whitney, mean};
use xpuck_wire::output::count;

/// Maximum duration of a simulated segment (s).
const LONGEST: f64 = 600.0;
/// Significance level: a difference is significant if p is below this level.
const LEVEL: f64 = 0.05;

/// Fitness of a run's last segment, and of its simulations.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Gap {
    /// Name of the run.
    pub run: String,
    /// Real fitness of the last segment.
    pub real: f64,
    /// Fitness of each simulation of the same swarm.
    pub simulated: Vec<f64>,
    /// Two-sided p of Student's t-test of the real value against the simulations, assuming equal variances; `None` if
    /// the simulated values do not vary.
    pub p: Option<f64>,
}

/// Simulates the swarm of each run with the last tree of each robot. `plan` is returned by [`of_segment`]. A run is
/// left out if it has no segment, or if a robot has no known tree that can be compiled. `progress` receives the number
/// of finished runs and the number of all runs.
pub fn simulate(
    engine: &dyn Engine,
    runs: &[&RunFacts],
    plan: &Plan<'_>,
    mut progress: impl FnMut(usize, usize),
) -> Vec<Gap> {
    let mut gaps = Vec::new();
    progress(0, runs.len());
    for (i, run) in runs.iter().enumerate() {
        let programs: Result<Vec<Program>, _> = run.trees.iter().map(|last| Program::compile(&last.tree)).collect();
        let real = run.segments.last().map(|segment| segment.fitness);
        if let (Ok(programs), Some(real)) = (programs, real)
            && programs.len() == plan.spec.robots
        {
            let plan = Plan { spec: &run.last_world, ..*plan };
            let simulated = fitness_of_team(engine, &programs, &Team::from_programs(0..programs.len()), &plan);
            let p = student(&[real], &simulated).map(|t| t.p);
            gaps.push(Gap { run: run.name.clone(), real, simulated, p });
        }
        progress(i + 1, runs.len());
    }
    gaps
}

/// Returns the plan with the duration of the real last segments, so that the spread of the simulated fitness is
/// comparable. If the durations differ between runs, the longest is used. The maximum is 600 s.
pub fn of_segment<'a>(runs: &[&RunFacts], plan: &Plan<'a>) -> Plan<'a> {
    let seconds = runs.iter().filter_map(|run| run.segments.last()).map(|segment| segment.seconds).fold(0.0, f64::max);
    if seconds > 0.0 { Plan { seconds: seconds.round().clamp(1.0, LONGEST) as f32, ..*plan } } else { *plan }
}

/// Returns the chapter on the reality gap. `plan` is returned by [`of_segment`].
pub fn section(gaps: &[Gap], plan: &Plan<'_>) -> Section {
    let text = vec![format!(
        "The trees that drove the robots in the last segment, each on its robot, are simulated {} times for {} s, the \
         duration of the segment, in the world as the robots simulated it at the end. A test shows whether the real \
         segment could be a result of the simulation. Student's t-test compares one value with many and assumes equal \
         variances, as in 8.7.1; p is corrected for the number of runs (Holm). Simulations begin at the world's start \
         poses; a real segment begins with the poses at the end of the previous segment{}.",
        plan.runs,
        plan.seconds,
        if plan.spec.task.moves_disc() {
            ", so that the robots are already at the frisbee, or the frisbee is where they cannot push it further"
        } else {
            ""
        }
    )];
    let mut section = Section { title: "Simulation against reality".into(), ..Section::default() };
    if gaps.is_empty() {
        section
            .results
            .push("No run that counts has a known last tree for every robot; there is nothing to simulate.".into());
        return section;
    }
    section.text = text;
    let p: Vec<f64> = holm(&gaps.iter().map(|gap| gap.p.unwrap_or(1.0)).collect::<Vec<_>>());
    let means: Vec<f64> = gaps.iter().map(|gap| mean(&gap.simulated)).collect();
    let real: Vec<f64> = gaps.iter().map(|gap| gap.real).collect();
    let head = [
        "run",
        "real",
        "simulated",
        "sd",
        "t-test p",
        "p, Holm",
        "fraction of simulations below",
        "normal? (Shapiro-Wilk p)",
    ];
    // The Shapiro-Wilk test accepts at most 5000 values.
    let normal = |gap: &Gap| shapiro_wilk(&gap.simulated[..gap.simulated.len().min(5000)]).map(|n| n.p);
    let normal: Vec<Option<f64>> = gaps.iter().map(normal).collect();
    let row = |((gap, p), normal): ((&Gap, &f64), &Option<f64>)| {
        let spread = Spread::from_sample(&gap.simulated);
        let below = gap.simulated.iter().filter(|fitness| **fitness < gap.real).count();
        let number = |x: Option<f64>| x.map_or("-".into(), |x| format!("{:.3}", Figure(x)));
        vec![
            gap.run.clone(),
            number(Some(gap.real)),
            number(spread.map(|s| s.mean)),
            number(spread.and_then(|s| s.sd)),
            number(gap.p),
            number(Some(*p)),
            format!("{:.0} %", 100.0 * below as f64 / gap.simulated.len().max(1) as f64),
            number(*normal),
        ]
    };
    section.tables.push(Readable {
        title: "Last segment, real and simulated".into(),
        head: head.map(String::from).to_vec(),
        rows: gaps.iter().zip(&p).zip(&normal).map(row).collect(),
    });
    let differ = p.iter().filter(|p| **p < LEVEL).count();
    section.results.push(match (gaps.len(), differ) {
        (1, 0) => format!("The run does not differ significantly from simulation (t-test, {}).", p_value(p[0])),
        (1, _) => format!("The run differs significantly from simulation (t-test, {}).", p_value(p[0])),
        (runs, _) => {
            format!("{differ} of {runs} runs differ significantly from simulation (p below {LEVEL} after Holm).")
        }
    });
    let skewed = normal.iter().flatten().filter(|p| **p < LEVEL).count();
    if skewed > 0 {
        section.text.push(format!(
            "Simulated fitness is not normally distributed in {skewed} of {} (Shapiro-Wilk p below {LEVEL}). A t-test \
             assumes normality; the fraction of simulations below the real value does not.",
            count(gaps.len(), "run", "runs")
        ));
    }
    section.results.push(overall(&real, &means));
    section.figures.push(draw(gaps));
    section
}

fn overall(real: &[f64], simulated: &[f64]) -> String {
    match (paired(real, simulated), mann_whitney(real, simulated), hedges_g(real, simulated)) {
        (Some(t), Some(ranks), Some(g)) => format!(
            "Over all runs real fitness minus simulated fitness is {:+.3} (95 % interval {:+.3} to {:+.3}; paired t \
             {}, Mann-Whitney {}, Hedges' g {:+.2}).",
            Figure(t.difference),
            Figure(t.interval[0]),
            Figure(t.interval[1]),
            p_value(t.p),
            p_value(ranks.p),
            Figure(g)
        ),
        _ => "At least two runs are needed to compare reality with simulation over runs.".into(),
    }
}

fn draw(gaps: &[Gap]) -> String {
    let mut plot = Plot::new("Last segment", "run", "fitness").whole_x();
    let place = |i: usize| (i + 1) as f64;
    let violin =
        |(i, gap): (usize, &Gap)| xpuck_stats::plot::ViolinOf { x: (place(i), 0.35), sample: gap.simulated.clone() };
    plot.violins(Colour::Sky, gaps.iter().enumerate().map(violin).collect());
    plot.points("", Colour::Red, gaps.iter().enumerate().map(|(i, gap)| (place(i), gap.real)).collect());
    plot.notes(gaps.iter().enumerate().map(|(i, gap)| (place(i), gap.real, gap.run.clone())).collect());
    let series = vec![("simulated".into(), Stroke::from(Colour::Sky)), ("real".into(), Colour::Red.into())];
    to_svg_with(&[plot], &Footer { series, caption: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::world::WorldSpec;

    #[test]
    fn single_real_value_far_from_simulations_is_reported() {
        let spec = WorldSpec::benchmark(9);
        let plan = Plan { spec: &spec, seconds: 60.0, runs: 50, seed: 1 };
        let simulated: Vec<f64> = (0..50).map(|i| 0.25 + 0.001 * f64::from(i)).collect();
        let gap = |real: f64| {
            let p = student(&[real], &simulated).map(|t| t.p);
            Gap { run: format!("r{real}"), real, simulated: simulated.clone(), p }
        };
        let section = section(&[gap(0.27), gap(0.6), gap(0.275)], &plan);
        assert!(section.results[0].starts_with("1 of 3 runs differ"), "{:?}", section.results);
        assert_eq!(section.tables[0].rows[1][6], "100 %");
        assert!(super::section(&[], &plan).results[0].starts_with("No run that counts has a known last tree"));
        let one = super::section(&[gap(0.27)], &plan);
        assert!(
            one.results[0].starts_with("The run does not differ significantly from simulation"),
            "{:?}",
            one.results
        );
        assert!(one.results[1].starts_with("At least two runs"), "{:?}", one.results);
    }
}
