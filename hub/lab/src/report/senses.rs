//! Chapter of the report on the senses. For each sense, it compares recorded values with values computed from the
//! poses (thesis 7.3).

use super::collect::RunFacts;
use super::page::NO_RUN_COUNTS;
use super::page::Section;
use crate::sweep::summary::Readable;
use xpuck_record::verify::{SenseRow, worst};
use xpuck_stats::plot::{Colour, Footer, Plot, to_svg_with};

/// Returns the chapter on the senses.
pub fn section(runs: &[&RunFacts]) -> Section {
    let mut section = Section {
        title: "Senses: recorded and recomputed".into(),
        text: vec![
            "The record contains the senses of each robot in each control update and the poses from motion capture. \
             Each sense is recomputed from these poses with the model of the simulator. A value counts as different if \
             its deviation exceeds the value in the last column. Differences show what the simulation does not model: \
             delays, noise, and false detections of the camera."
                .into(),
        ],
        ..Section::default()
    };
    let unread = |run: &&RunFacts| Some(format!("{} is not compared: {}", run.name, run.senses.as_ref().err()?));
    section.results.extend(runs.iter().filter_map(unread));
    let totals = totals(runs);
    if totals.is_empty() {
        let why = match runs.is_empty() {
            true => NO_RUN_COUNTS,
            false => "No run that counts recorded control updates with poses; nothing can be compared.",
        };
        section.results.push(why.into());
        return section;
    }
    let row = |total: &SenseRow| {
        vec![
            total.sense.to_string(),
            total.values.to_string(),
            format!("{:.2} %", 100.0 * total.part()),
            format!("{:.4}", total.mean),
            format!("{:.3}", total.largest),
            format!("{} {}", total.tolerance, total.unit),
        ]
    };
    let head = ["sense", "values", "different", "mean difference", "largest", "counts above"].map(String::from);
    section.tables.push(Readable {
        title: "All runs".into(),
        head: head.into(),
        rows: totals.iter().map(row).collect(),
    });
    section.results.push(match worst(&totals) {
        Some(most) => {
            let told = || runs.iter().filter_map(|run| run.senses.as_deref().ok()).filter(|rows| !rows.is_empty());
            let alike = told().filter(|rows| worst(rows).is_some_and(|row| row.sense == most.sense)).count();
            let told = told().count();
            format!(
                "{} deviates most from the poses, in {:.1} % of its values; it is the worst sense in {alike} of {told} runs.",
                capital(most.sense),
                100.0 * most.part()
            )
        }
        None => "All values of all senses match the poses.".into(),
    });
    section.figures.push(draw(runs, &totals));
    section
}

fn rows_of<'a>(runs: &'a [&RunFacts]) -> impl Iterator<Item = &'a SenseRow> {
    runs.iter().flat_map(|run| run.senses.iter().flatten())
}

/// Returns the totals of each sense over all runs.
fn totals(runs: &[&RunFacts]) -> Vec<SenseRow> {
    let mut totals: Vec<SenseRow> = Vec::new();
    for row in rows_of(runs).filter(|row| row.values > 0) {
        let Some(total) = totals.iter_mut().find(|total| total.sense == row.sense) else {
            totals.push(row.clone());
            continue;
        };
        total.values += row.values;
        total.different += row.different;
        total.largest = total.largest.max(row.largest);
        total.mean += (row.mean - total.mean) * row.values as f64 / total.values as f64;
    }
    totals
}

fn draw(runs: &[&RunFacts], totals: &[SenseRow]) -> String {
    let mut plot = Plot::new("Different values, one point per run", "sense", "percent").whole_x();
    let points = totals.iter().enumerate().flat_map(|(i, total)| {
        let rows = rows_of(runs).filter(|row| row.sense == total.sense);
        rows.map(move |row| ((i + 1) as f64, 100.0 * row.part()))
    });
    plot.points("", Colour::Blue, points.collect());
    let list: Vec<String> = totals.iter().enumerate().map(|(i, total)| format!("{}: {}", i + 1, total.sense)).collect();
    to_svg_with(
        &[plot],
        &Footer { series: vec![("a run".into(), Colour::Blue.into())], caption: vec![list.join("; ")] },
    )
}

fn capital(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or(String::new(), |first| first.to_uppercase().collect::<String>() + letters.as_str())
}

#[cfg(test)]
mod tests {
    use super::super::trees::tests::run;
    use super::*;

    fn run_with_senses(name: &str, rows: &[(&'static str, u64, u64, f32)]) -> RunFacts {
        let row = |(sense, values, different, largest): &(&'static str, u64, u64, f32)| SenseRow {
            sense,
            unit: "m",
            tolerance: 0.01,
            values: *values,
            different: *different,
            largest: *largest,
            mean: 0.5,
        };
        RunFacts { name: name.into(), senses: Ok(rows.iter().map(row).collect()), ..run(&[]) }
    }

    #[test]
    fn section_names_worst_sense_and_unreadable_runs() {
        let a = run_with_senses("a", &[("range", 100, 1, 0.2), ("camera", 100, 30, 1.0)]);
        let b = run_with_senses("b", &[("range", 300, 60, 0.4), ("camera", 100, 0, 0.0)]);
        let broken = RunFacts { senses: Err("xp01: no".into()), ..run_with_senses("c", &[]) };
        let section = section(&[&a, &b, &broken]);
        assert_eq!(section.results[0], "c is not compared: xp01: no");
        let worst =
            "Range deviates most from the poses, in 15.2 % of its values; it is the worst sense in 1 of 2 runs.";
        assert_eq!(section.results[1], worst);
        assert_eq!(section.tables[0].rows[0][..5], ["range", "400", "15.25 %", "0.5000", "0.400"]);
        assert!(super::section(&[&broken]).results[1].starts_with("No run that counts recorded"));
    }
}
