//! Chapters of the report on quality gates, on real fitness, and on the fitness that evolution reports.

use super::collect::RunFacts;
use super::page::Section;
use super::regions;
use crate::segments::SLOW_PERCENT;
use crate::study::p_value;
use crate::sweep::summary::Readable;
use xpuck_kernels::world::task::Task;
use xpuck_record::run_file::RunState;
use xpuck_stats::figure::Figure;
use xpuck_stats::plot::{Colour, Footer, Plot, Stroke, ViolinOf, to_svg_with};
use xpuck_stats::statistics::fit::polynomial;
use xpuck_stats::statistics::spread::median;
use xpuck_stats::statistics::t::student;
use xpuck_stats::statistics::{Spread, mann_whitney};
use xpuck_wire::output::significant;

/// Order of the polynomial through the medians (thesis, Fig. 8.5).
const ORDER: usize = 5;
/// Number of line segments with which the polynomial is plotted.
const STEPS: usize = 200;

/// Returns whether a run is included in the report's statistics.
pub fn counts(run: &RunFacts) -> bool {
    why_not(run).is_none()
}

/// Returns the reason why a run is excluded; `None` if the run is included. A run is excluded if it fails the quality
/// gates of the thesis (8.4), did not finish, has a damaged record, or has no score.
pub fn why_not(run: &RunFacts) -> Option<String> {
    match run {
        RunFacts { damage, .. } if !damage.is_empty() => Some("its record is damaged".into()),
        RunFacts { state: RunState::Running, .. } => Some(
            "it is still running, or its hub has just crashed (check with `xpuck swarm top`); make the report after \
             its end"
                .into(),
        ),
        RunFacts { state, .. } if *state != RunState::Finished => Some("it did not finish".into()),
        RunFacts { segments, .. } if segments.is_empty() => Some("no segment was scored".into()),
        RunFacts { dead: 1.., .. } => Some("robots were lost".into()),
        RunFacts { slow_percent, .. } if *slow_percent > SLOW_PERCENT => Some("its link was slow".into()),
        _ => None,
    }
}

fn three(x: f64) -> String {
    format!("{:.3}", Figure(x))
}

/// Returns the chapter on the quality gates (Table 8.3).
pub fn quality(runs: &[RunFacts]) -> Section {
    let head = ["run", "", "seed", "version", "dead", "round trip, ms", "slow, %", "generations", "evolved", "counts"];
    let row = |(i, run): (usize, &RunFacts)| {
        vec![
            (i + 1).to_string(),
            run.name.clone(),
            run.seed.to_string(),
            run.version.clone(),
            run.dead.to_string(),
            run.ping_ms.map_or("-".into(), |ms| format!("{ms:.1}")),
            format!("{:.2}", run.slow_percent),
            format!("{:.0}", run.generations),
            three(run.evolved),
            why_not(run).map_or("yes".into(), |why| format!("no: {why}")),
        ]
    };
    let good = runs.iter().filter(|run| counts(run)).count();
    let mut text = vec![
        "A run counts if its record is undamaged, it finished, no robot was lost, and at most 5 % of the round trips \
         to the hub took longer than 100 ms: virtual senses are only as good as the link. All results below are of the \
         runs that count; the trees are of all runs."
            .to_string(),
    ];
    for run in runs {
        text.extend(run.damage.iter().map(|damage| format!("{}: {damage}", run.name)));
    }
    let mut versions: Vec<&str> = runs.iter().map(|run| run.version.as_str()).collect();
    versions.sort_unstable();
    versions.dedup();
    let mut results = vec![format!("{good} of {} runs count.", runs.len())];
    results.extend(runs.iter().filter_map(|run| Some(format!("{} does not: {}.", run.name, why_not(run)?))));
    if good == 0 {
        results.push("Most chapters below are therefore empty.".into());
        let busy = |run: &RunFacts| run.dead > 0 || run.slow_percent > SLOW_PERCENT;
        if runs.iter().any(busy) {
            results.push(
                "With virtual robots, a busy machine is the usual reason; run the demo with a lower --speed or a \
                 smaller --count."
                    .into(),
            );
        }
    }
    if versions.len() > 1 {
        results.push(format!(
            "The runs were made with several versions of the program: {}. Compare them with care.",
            versions.join(", ")
        ));
    }
    Section {
        title: "Which runs count".into(),
        text,
        results,
        tables: vec![Readable {
            title: "Runs".into(),
            head: head.map(String::from).to_vec(),
            rows: runs.iter().enumerate().map(row).collect(),
        }],
        ..Section::default()
    }
}

/// Returns the chapter on real fitness over the segments (Table 8.4, Fig. 8.5).
pub fn real(runs: &[&RunFacts], task: &Task) -> Section {
    let segments = runs.iter().map(|run| run.segments.len()).max().unwrap_or(0);
    let of = |i: usize| -> Vec<f64> { runs.iter().filter_map(|run| run.segments.get(i).map(|s| s.fitness)).collect() };
    let samples: Vec<Vec<f64>> = (0..segments).map(of).collect();
    let mut section = Section {
        title: "Real fitness over the run".into(),
        text: vec![format!(
            "{} The hub scores it from motion capture. In each segment every robot runs the fittest tree that its \
             island knows at that time, its own or an immigrant.",
            task.fitness_description()
        )],
        ..Section::default()
    };
    let mut head: Vec<String> = vec!["run".into(), "evolved".into()];
    head.extend((1..=segments).map(|i| format!("real {i}")));
    let mut rows: Vec<Vec<String>> = runs
        .iter()
        .map(|run| {
            let real = run.segments.iter().map(|segment| three(segment.fitness));
            [run.name.clone(), three(run.evolved)].into_iter().chain(real).collect()
        })
        .collect();
    let evolved: Vec<f64> = runs.iter().map(|run| run.evolved).collect();
    for (name, value) in
        [("mean", (|s: &Spread| Some(s.mean)) as fn(&Spread) -> Option<f64>), ("sd", |s: &Spread| s.sd)]
    {
        let cell = |sample: &Vec<f64>| Spread::from_sample(sample).as_ref().and_then(value).map_or("-".into(), three);
        let cells = [name.to_string(), cell(&evolved)].into_iter().chain(samples.iter().map(cell));
        rows.push(cells.collect());
    }
    section.tables.push(Readable { title: "Real fitness of each segment".into(), head, rows });
    section.tables.extend(values(runs, segments));
    section.tables.extend(regions::table(runs, segments));
    if let (Some(first), Some(last)) = (samples.first(), samples.last())
        && segments > 1
    {
        section.results.push(first_against_last(first, last, segments));
    }
    if !runs.is_empty() {
        section.figures.push(violins(&samples));
    }
    section
}

/// Returns the table of the raw values of a mission; `None` for other tasks.
fn values(runs: &[&RunFacts], segments: usize) -> Option<Readable> {
    let of = |i: usize| -> Vec<f64> { runs.iter().filter_map(|run| run.segments.get(i)?.value).collect() };
    let samples: Vec<Vec<f64>> = (0..segments).map(of).collect();
    if samples.iter().all(Vec::is_empty) {
        return None;
    }
    let cell = |value: Option<f64>| value.map_or("-".into(), significant);
    let row = |run: &&RunFacts| -> Vec<String> {
        let values = run.segments.iter().map(|segment| cell(segment.value));
        [run.name.clone()].into_iter().chain(values).collect()
    };
    let statistic = |name: &str, value: fn(&Spread) -> Option<f64>| -> Vec<String> {
        let cells = samples.iter().map(|sample| cell(Spread::from_sample(sample).as_ref().and_then(value)));
        [name.to_string()].into_iter().chain(cells).collect()
    };
    let mut rows: Vec<Vec<String>> = runs.iter().map(row).collect();
    rows.extend([statistic("mean", |s| Some(s.mean)), statistic("sd", |s| s.sd)]);
    let head = ["run".into()].into_iter().chain((1..=segments).map(|i| format!("value {i}"))).collect();
    Some(Readable { title: "Raw value of each segment".into(), head, rows })
}

fn first_against_last(first: &[f64], last: &[f64], segments: usize) -> String {
    let (a, b) = (Spread::from_sample(last), Spread::from_sample(first));
    let (Some(a), Some(b)) = (a, b) else { return "No segment was scored.".into() };
    let difference = format!(
        "The mean fitness of segment {segments} is {:.3}, and of segment 1 {:.3}",
        Figure(a.mean),
        Figure(b.mean)
    );
    match (student(last, first), mann_whitney(last, first)) {
        (Some(t), Some(ranks)) => format!(
            "{difference}: a difference of {:+.3} (95 % interval {:+.3} to {:+.3}; t-test {}, Mann-Whitney {}).",
            Figure(t.difference),
            Figure(t.interval[0]),
            Figure(t.interval[1]),
            p_value(t.p),
            p_value(ranks.p)
        ),
        _ => format!(
            "{difference}; {} cannot show whether the difference is due to chance.",
            if a.n < 2 { "one run" } else { "these runs" }
        ),
    }
}

/// Draws a violin for the fitness values of each segment, and the polynomial through the medians.
fn violins(samples: &[Vec<f64>]) -> String {
    let place = |i: usize| (i + 1) as f64;
    let mut plot = Plot::new("Real fitness of the runs", "segment", "fitness").whole_x();
    let violin = |(i, sample): (usize, &Vec<f64>)| ViolinOf { x: (place(i), 0.35), sample: sample.clone() };
    plot.violins(Colour::Sky, samples.iter().enumerate().map(violin).collect());
    let dots =
        samples.iter().enumerate().flat_map(|(i, sample)| sample.iter().map(move |fitness| (place(i), *fitness)));
    plot.points("", Colour::Grey, dots.collect());
    let (x, y): (Vec<f64>, Vec<f64>) =
        samples.iter().enumerate().filter(|(_, s)| !s.is_empty()).map(|(i, s)| (place(i), median(s))).unzip();
    let order = ORDER.min(x.len().saturating_sub(2));
    let mut series = vec![("all runs; ticks at median and extremes".to_string(), Stroke::from(Colour::Sky))];
    if order > 0
        && let Some(curve) = polynomial(&x, &y, order)
    {
        let (from, to) = (x[0], x[x.len() - 1]);
        let at = |i: usize| from + (to - from) * i as f64 / STEPS as f64;
        plot.line("", Colour::Red, (0..=STEPS).map(|i| (at(i), curve.at(at(i)))).collect());
        series.push((format!("polynomial of order {order} through the medians"), Colour::Red.into()));
    }
    to_svg_with(&[plot], &Footer { series, caption: Vec::new() })
}

/// Returns the chapter on evolved fitness over the run (Fig. 8.4).
pub fn islands(runs: &[&RunFacts]) -> Section {
    let mut plot = Plot::new("Fitness of the islands", "minutes", "mean derated fitness of the champions");
    for run in runs {
        plot.line("", Stroke::from(Colour::Blue).faint(), run.curve.clone());
        if let Some((minutes, fitness)) = run.curve.last() {
            plot.notes(vec![(*minutes, *fitness, format!("{}: {:.3}", run.name, Figure(*fitness)))]);
        }
    }
    let longest = runs.iter().map(|run| run.curve.len()).max().unwrap_or(0);
    let mean = |i: usize| {
        let at: Vec<(f64, f64)> = runs.iter().filter_map(|run| run.curve.get(i).copied()).collect();
        let n = at.len() as f64;
        (at.len() == runs.len())
            .then(|| (at.iter().map(|p| p.0).sum::<f64>() / n, at.iter().map(|p| p.1).sum::<f64>() / n))
    };
    plot.line("", Colour::Red, (0..longest).filter_map(mean).collect());
    let evolved: Vec<f64> = runs.iter().map(|run| run.evolved).collect();
    let generations: Vec<f64> = runs.iter().map(|run| run.generations).collect();
    let mut results = Vec::new();
    if let (Some(fitness), Some(generations)) = (Spread::from_sample(&evolved), Spread::from_sample(&generations)) {
        let sd = |spread: &Spread, digits: usize| spread.sd.map_or(String::new(), |sd| format!(" (sd {sd:.digits$})"));
        results.push(format!(
            "Evolution reports {:.3}{} after {:.0} generations{}.",
            Figure(fitness.mean),
            sd(&fitness, 3),
            // Adding 0.0 turns -0 into 0.
            generations.mean.max(0.0) + 0.0,
            sd(&generations, 0)
        ));
    }
    let series = vec![("each run".into(), Stroke::from(Colour::Blue).faint()), ("mean".into(), Colour::Red.into())];
    Section {
        title: "What evolution reports".into(),
        text: vec![
            "Each robot evolves its own population, an island, in simulation while it drives. The plot shows the \
             fitness of the fittest tree of each island as evolution estimates it, derated where it was simulated fewer \
             than eight times; mean of the islands."
                .into(),
        ],
        results,
        figures: vec![to_svg_with(&[plot], &Footer { series, caption: Vec::new() })],
        ..Section::default()
    }
}

#[cfg(test)]
mod tests {
    use super::super::collect::SegmentFacts;
    use super::super::{behaviour, trees};
    use super::*;
    use xpuck_stats::som::Topology;

    #[test]
    fn report_of_mission_has_table_of_values() {
        let segment = |value| SegmentFacts { number: 1, fitness: 0.42, value, seconds: 60.0, metrics: None };
        let mut run = trees::tests::run(&[]);
        run.segments = vec![segment(None)];
        assert_eq!(real(&[&run], &Task::Dispersion).tables.len(), 1);
        run.segments = vec![segment(Some(25.2))];
        let tables = real(&[&run], &Task::Dispersion).tables;
        let table = &tables[1];
        assert_eq!((table.title.as_str(), table.head[1].as_str()), ("Raw value of each segment", "value 1"));
        let numbers: Vec<&str> = table.rows.iter().map(|row| row[1].as_str()).collect();
        assert_eq!(numbers, ["25.2", "25.2", "-"], "one run has no sd");
    }

    #[test]
    fn report_mentions_frisbee_only_if_present() {
        let run = trees::tests::run(&[]);
        let text = |task: &Task, disc: bool| {
            let sections = [real(&[&run], task), behaviour::section(&[&run], disc, Topology::Hexagonal)];
            sections.map(|section| format!("{:?} {:?}", section.text, section.tables[0].head)).concat()
        };
        let transport = text(&Task::Transport, true);
        assert!(transport.contains("speed of the frisbee") && transport.contains("pushing"), "{transport}");
        let coverage = text(&Task::Coverage { cell: 0.1 }, false);
        assert!(!coverage.contains("frisbee") && !coverage.contains("pushing"), "{coverage}");
        assert!(coverage.contains("share of the arena") && coverage.contains("energy"), "{coverage}");
    }
}
