//! Chapter of the report on heterogeneity. It compares swarms of different trees with homogeneous swarms of each
//! tree, within runs and across runs (thesis 8.6.5, 8.7.2).

use super::collect::RunFacts;
use super::page::Section;
use crate::study::Budget;
use crate::study::hetero::{HeteroPlan, HeteroStudy, RunTrees, Swarm, study};
use crate::sweep::summary::Readable;
use xpuck_kernels::engine::Engine;
use xpuck_kernels::world::WorldSpec;
use xpuck_stats::figure::Figure;
use xpuck_stats::plot::{Colour, Footer, Plot, Stroke, to_svg_with};
use xpuck_wire::output::count;

/// Number of swarms drawn from the trees of all runs. `xpuck study hetero` draws 100 swarms, with more simulations.
const DRAWN: usize = 40;
/// Ratio of the report's number of simulations to the number of simulations of each mixed swarm. Fewer simulations per
/// swarm are enough, because there are many swarms.
const SHARE: u32 = 8;

/// Simulates mixed swarms, and homogeneous swarms of their trees. The parameters of the simulations are the report's
/// number of simulations, the duration of a simulation (s), and the seed. Returns `None` if no run has a known tree
/// for each robot.
pub fn simulate(
    engine: &dyn Engine,
    runs: &[&RunFacts],
    spec: &WorldSpec,
    (simulations, seconds, seed): (u32, f32, u64),
    progress: impl FnMut(usize, usize),
) -> Option<HeteroStudy> {
    let trees = |run: &&RunFacts| RunTrees {
        name: run.name.clone(),
        trees: run.trees.iter().map(|last| last.tree.clone()).collect(),
    };
    let runs: Vec<RunTrees> = runs.iter().map(trees).filter(|run| run.trees.len() == spec.robots).collect();
    if runs.is_empty() {
        return None;
    }
    let mixed = Budget { seconds, runs: (simulations / SHARE).max(2), seed };
    // All trees of a single run evolved together, so there are no trees of other runs to draw.
    let drawn = if runs.len() > 1 { DRAWN } else { 0 };
    study(engine, &runs, spec, HeteroPlan { mixed, alone: (simulations / 2).max(2), drawn }, progress).ok()
}

/// Returns the chapter on heterogeneity. `found` is `None` if no swarm was simulated.
pub fn section(found: Option<&HeteroStudy>) -> Section {
    let mut section = Section { title: "Different trees together".into(), ..Section::default() };
    let Some(found) = found else {
        section
            .results
            .push("No run that counts has a known last tree for every robot; there is nothing to simulate.".into());
        return section;
    };
    let strangers = match found.plan.drawn {
        0 => String::new(),
        drawn => format!(
            "; {drawn} more swarms are drawn with replacement from the trees of all runs, and did not evolve together"
        ),
    };
    section.text.push(format!(
        "The fitness of a swarm of different trees is compared with the mean fitness of its trees, each in a \
         homogeneous swarm. Each run's own swarm evolved together{strangers}. Each swarm is simulated {} times for {} \
         s, and each tree alone {} times. Points below the diagonal lose fitness by mixing.",
        found.plan.mixed.runs, found.plan.mixed.seconds, found.plan.alone
    ));
    section.results = results(found);
    let row = |swarm: &Swarm| {
        Some(vec![
            swarm.run.clone()?,
            swarm.different.to_string(),
            format!("{:.3}", Figure(swarm.mixed.mean)),
            format!("{:.3}", Figure(swarm.alone)),
            format!("{:+.3}", Figure(swarm.mixed.mean - swarm.alone)),
        ])
    };
    let head = ["swarm", "different trees", "together", "trees alone", "difference"].map(String::from);
    section.tables.push(Readable {
        title: "The runs' own swarms, simulated".into(),
        head: head.into(),
        rows: found.swarms.iter().filter_map(row).collect(),
    });
    section.figures.push(draw(found));
    section
}

/// Returns the results as sentences. Only the runs' own swarms are tested, because they are independent. Drawn swarms
/// share trees, so that their errors are correlated.
fn results(found: &HeteroStudy) -> Vec<String> {
    let own: Vec<&Swarm> = found.swarms.iter().filter(|swarm| swarm.run.is_some()).collect();
    let mean = |swarms: &[&Swarm]| {
        swarms.iter().map(|swarm| swarm.mixed.mean - swarm.alone).sum::<f64>() / swarms.len().max(1) as f64
    };
    let mut results = match &found.own {
        Some(_) => vec![found.sentences().remove(0)],
        None => vec![format!(
            "The fitness of the runs' own swarms minus that of their trees alone is {:+.3}, mean of {}; a test needs \
             three runs.",
            Figure(mean(&own)),
            count(own.len(), "swarm", "swarms")
        )],
    };
    let drawn: Vec<&Swarm> = found.swarms.iter().filter(|swarm| swarm.run.is_none()).collect();
    if !drawn.is_empty() {
        results.push(format!(
            "The fitness of swarms drawn from all runs minus that of their trees alone is {:+.3}, mean of {}.",
            Figure(mean(&drawn)),
            count(drawn.len(), "swarm", "swarms")
        ));
    }
    results
}

fn draw(found: &HeteroStudy) -> String {
    let mut plot = Plot::new("Swarms of different trees", "fitness of their trees alone, mean", "fitness together");
    let points = |own: bool| {
        let swarms = found.swarms.iter().filter(move |swarm| swarm.run.is_some() == own);
        swarms.map(|swarm| (swarm.alone, swarm.mixed.mean)).collect::<Vec<_>>()
    };
    let all = || found.swarms.iter().flat_map(|swarm| [swarm.alone, swarm.mixed.mean]);
    let (low, high) = (all().fold(f64::INFINITY, f64::min), all().fold(f64::NEG_INFINITY, f64::max));
    plot.line("", Stroke::from(Colour::Black).faint(), vec![(low, low), (high, high)]);
    plot.points("", Colour::Grey, points(false));
    plot.points("", Colour::Blue, points(true));
    let series = vec![
        ("a run's own swarm".into(), Stroke::from(Colour::Blue)),
        ("drawn from all runs".into(), Stroke::from(Colour::Grey)),
        ("equal fitness".into(), Stroke::from(Colour::Black).faint()),
    ];
    to_svg_with(&[plot], &Footer { series, caption: Vec::new() })
}

#[cfg(test)]
mod tests {
    use super::super::trees::tests::run;
    use super::*;
    use xpuck_kernels::engine::Simd;

    #[test]
    fn only_runs_with_known_trees_are_simulated() {
        let forward = "movcv v_goal 0deg\n";
        let pushes = include_str!("../../../../docs/trees/806768.bt");
        let (mut a, b) = (run(&[forward, pushes]), run(&[pushes, pushes]));
        a.name = "mixed".into();
        let spec = WorldSpec::benchmark(2);
        let found_of = |runs: &[&RunFacts]| simulate(&Simd::default(), runs, &spec, (80, 10.0, 1), |_, _| {});
        let found = found_of(&[&a, &b, &run(&[forward])]).unwrap();
        assert_eq!(found.swarms.len(), 2 + DRAWN);
        let section = section(Some(&found));
        assert_eq!(section.tables[0].rows[0][..2], ["mixed", "2"]);
        assert!(section.results[0].contains("mean of 2 swarms; a test needs three runs"), "{:?}", section.results);
        assert!(section.results[1].starts_with("The fitness of swarms drawn from all runs"), "{:?}", section.results);
        let one = found_of(&[&a]).unwrap();
        assert_eq!((one.swarms.len(), super::section(Some(&one)).results.len()), (1, 1), "no strangers");
        assert_eq!(found_of(&[&run(&[forward])]), None);
        assert!(super::section(None).results[0].starts_with("No run that counts has a known last tree"));
    }
}
