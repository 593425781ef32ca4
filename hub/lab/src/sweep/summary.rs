//! Statistics of a sweep's settings, and comparison of each setting with the first one.

use serde::Serialize;
use serde_json::{Map, Value};
use std::collections::BTreeMap;
use xpuck_stats::figure::Figure;
use xpuck_stats::statistics::{Comparison, Spread, holm, mann_whitney, student_t_975};

/// Keys of a result that are summarised, with their descriptions.
pub const MEASURES: [(&str, &str); 3] = [
    ("remeasured_mean", "Champions remeasured on fresh seeds, mean of the islands"),
    ("remeasured_best", "Best champion, remeasured on fresh seeds"),
    ("final_mean", "Evolved fitness at the end, mean of the islands; biased upwards by selection"),
];

/// Setting with the results of its runs.
#[derive(Clone, Debug, Default)]
pub struct Group {
    /// Label of the setting.
    pub label: String,
    /// Keys and values in which the setting differs from the sweep's common settings.
    pub parameters: Map<String, Value>,
    /// Results of the finished runs.
    pub results: Vec<Map<String, Value>>,
}

/// Statistics of one measure for one setting.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Measure {
    /// Spread over the seeds; `None` if no result contains the measure.
    pub spread: Option<Spread>,
    /// Half the width of the mean's 95 % confidence interval. `None` with fewer than two values.
    pub half_interval: Option<f64>,
    /// Comparison with the first setting. `None` for the first setting itself, and if one of the two settings has no
    /// values.
    pub against_first: Option<Against>,
}

/// Comparison of a setting with the first one.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Against {
    /// Mean of this setting minus the mean of the first setting.
    pub difference: f64,
    /// Rank test of this setting's runs against the first setting's runs.
    #[serde(flatten)]
    pub ranks: Comparison,
    /// p-value of the rank test, corrected for the number of settings (Holm).
    pub p_holm: f64,
    /// Comparison of the runs with equal seeds. `None` with fewer than two such pairs.
    pub paired: Option<Paired>,
}

/// Difference between two settings over the seeds that both have run. Seeds of equal luck cancel out.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Paired {
    /// Number of seeds.
    pub seeds: usize,
    /// Mean difference to the first setting.
    pub difference: f64,
    /// Half the width of the 95 % confidence interval of the difference (Student's t).
    pub half_interval: f64,
    /// Number of further seeds after which half the width would be [`HALF_WIDTH`], estimated from the spread of the
    /// differences. `None` with fewer than [`MIN_PAIRS`] pairs, whose spread is too uncertain.
    pub further_seeds: Option<u64>,
}

/// Half the width of an interval for which [`Paired::further_seeds`] is stated.
pub const HALF_WIDTH: f64 = 0.01;
/// Minimum number of pairs for [`Paired::further_seeds`].
pub const MIN_PAIRS: usize = 5;
/// Maximum of [`Paired::further_seeds`].
const MAX_SEEDS: u64 = 1_000_000;

impl Paired {
    fn new(mine: &BTreeMap<u64, f64>, first: &BTreeMap<u64, f64>) -> Option<Paired> {
        let both: Vec<f64> = mine.iter().filter_map(|(seed, value)| Some(value - first.get(seed)?)).collect();
        let spread = Spread::from_sample(&both)?;
        let half_interval = spread.half_interval(student_t_975(spread.n.max(2) - 1))?;
        let further_seeds = (spread.n >= MIN_PAIRS).then(|| further_seeds(spread.n as u64, spread.sd.unwrap_or(0.0)));
        Some(Paired { seeds: spread.n, difference: spread.mean, half_interval, further_seeds })
    }
}

/// Returns the number of seeds beyond `seeds` after which half the width of an interval is [`HALF_WIDTH`]. `sd` is the
/// standard deviation of the differences.
fn further_seeds(seeds: u64, sd: f64) -> u64 {
    let wide = |n: u64| student_t_975(n as usize - 1) * sd > HALF_WIDTH * (n as f64).sqrt();
    // The width falls with the number of seeds, so the smallest sufficient number is found by bisection.
    let (mut low, mut high) = (seeds, MAX_SEEDS);
    while low < high {
        let middle = low.midpoint(high);
        (low, high) = if wide(middle) { (middle + 1, high) } else { (low, middle) };
    }
    low - seeds
}

/// All measures of one setting.
#[derive(Clone, Debug, PartialEq, Serialize, schemars::JsonSchema)]
pub struct Row {
    /// Label of the setting.
    pub label: String,
    /// Keys and values in which the setting differs from the sweep's common settings.
    pub parameters: Map<String, Value>,
    /// Number of finished runs.
    pub runs: usize,
    /// Measures by name, in the order of [`MEASURES`].
    #[serde(serialize_with = "by_name")]
    #[schemars(with = "std::collections::BTreeMap<String, Measure>")]
    pub measures: Vec<Measure>,
}

fn by_name<S: serde::Serializer>(measures: &[Measure], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_map(MEASURES.iter().map(|(name, _)| name).zip(measures))
}

/// Summarises settings. The rows are in the order of the settings.
pub fn summarise(groups: &[Group]) -> Vec<Row> {
    let mut rows: Vec<Row> = groups
        .iter()
        .map(|g| Row {
            label: g.label.clone(),
            parameters: g.parameters.clone(),
            runs: g.results.len(),
            measures: Vec::new(),
        })
        .collect();
    for (name, _) in MEASURES {
        let samples: Vec<Vec<f64>> = groups.iter().map(|group| values(group, name)).collect();
        let seeds: Vec<BTreeMap<u64, f64>> = groups.iter().map(|group| by_seed(group, name)).collect();
        for ((row, mut measure), mine) in rows.iter_mut().zip(compare(&samples)).zip(&seeds) {
            if let Some(against) = &mut measure.against_first {
                against.paired = Paired::new(mine, &seeds[0]);
            }
            row.measures.push(measure);
        }
    }
    rows
}

fn by_seed(group: &Group, name: &str) -> BTreeMap<u64, f64> {
    group
        .results
        .iter()
        .filter_map(|result| Some((result.get("seed")?.as_u64()?, result.get(name)?.as_f64()?)))
        .collect()
}

fn values(group: &Group, name: &str) -> Vec<f64> {
    group.results.iter().filter_map(|result| result.get(name)?.as_f64()).collect()
}

fn compare(samples: &[Vec<f64>]) -> Vec<Measure> {
    let Some((first, others)) = samples.split_first() else { return Vec::new() };
    let ranks: Vec<Option<Comparison>> = others.iter().map(|sample| mann_whitney(sample, first)).collect();
    let mut adjusted = holm(&ranks.iter().flatten().map(|c| c.p).collect::<Vec<_>>()).into_iter();
    let reference = Spread::from_sample(first);
    let mut against = vec![None];
    for (sample, ranks) in others.iter().zip(ranks) {
        against.push(match (ranks, Spread::from_sample(sample), reference) {
            (Some(ranks), Some(mine), Some(its)) => {
                adjusted.next().map(|p_holm| Against { difference: mine.mean - its.mean, ranks, p_holm, paired: None })
            }
            _ => None,
        });
    }
    let measure = |(sample, against_first): (&Vec<f64>, Option<Against>)| {
        let spread = Spread::from_sample(sample);
        let half_interval = spread.and_then(|s| s.half_interval(student_t_975(s.n.max(2) - 1)));
        Measure { spread, half_interval, against_first }
    };
    samples.iter().zip(against).map(measure).collect()
}

/// Table of text for reports.
pub struct Readable {
    /// Title of the table.
    pub title: String,
    /// Names of the columns.
    pub head: Vec<String>,
    /// Texts of the cells, row by row.
    pub rows: Vec<Vec<String>>,
}

/// Returns one table for each measure.
pub fn tables(rows: &[Row]) -> Vec<Readable> {
    let mut head = vec!["setting", "runs", "mean", "+- 95 %", "sd", "se", "min", "max"];
    if rows.len() > 1 {
        head.extend(["to first", "beats first", "p", "by seed", "+- by seed", "more for 0.01"]);
    }
    let head: Vec<String> = head.into_iter().map(String::from).collect();
    let table = |(i, (name, what)): (usize, &(&str, &str))| Readable {
        title: format!("{what} ({name})"),
        head: head.clone(),
        rows: rows.iter().map(|row| cells(row, &row.measures[i], &rows[0].measures[i], head.len())).collect(),
    };
    MEASURES.iter().enumerate().map(table).collect()
}

fn cells(row: &Row, measure: &Measure, first: &Measure, columns: usize) -> Vec<String> {
    let number = |x: Option<f64>| x.map_or("-".into(), |x| format!("{:.4}", Figure(x)));
    let spread = |value: fn(&Spread) -> Option<f64>| number(measure.spread.as_ref().and_then(value));
    let mut cells = vec![
        row.label.clone(),
        measure.spread.map_or(0, |s| s.n).to_string(),
        spread(|s| Some(s.mean)),
        number(measure.half_interval),
        spread(|s| s.sd),
        spread(|s| s.se),
        spread(|s| Some(s.min)),
        spread(|s| Some(s.max)),
    ];
    if let Some(Against { difference, ranks, p_holm, paired }) = measure.against_first {
        let p = if p_holm < 1e-4 { format!("{p_holm:.0e}") } else { format!("{p_holm:.4}") };
        // If all displayed values are equal, ranks based on hidden digits would confuse the reader.
        let read = |measure: &Measure| measure.spread.map(|s| [s.min, s.max].map(|x| format!("{x:.4}")));
        let alike = read(measure) == read(first) && read(first).is_some_and(|[min, max]| min == max);
        let beats = if alike { "as good".into() } else { format!("{:.0} %", 100.0 * ranks.superiority) };
        cells.extend([format!("{:+.4}", Figure(difference)), beats, p]);
        if let Some(Paired { difference, half_interval, further_seeds, .. }) = paired {
            let [difference, half] = [format!("{:+.4}", Figure(difference)), format!("{:.4}", Figure(half_interval))];
            cells.extend([difference, half, further_seeds.map_or("-".into(), |seeds| seeds.to_string())]);
        }
    }
    cells.resize(columns, "-".into());
    cells
}

/// Returns an explanation of the columns in the tables.
pub fn explanation(tables: &[Readable]) -> String {
    let has = |column: &str| tables.iter().any(|table| table.head.iter().any(|name| name == column));
    let meanings = [
        ("+- 95 %", "half width of the mean's confidence interval over seeds (Student's t)"),
        ("beats first", "probability that a run of the setting is better than one of the first setting"),
        ("by seed", "mean difference to the first setting over the seeds that both have run"),
        ("+- by seed", "half width of the 95 % confidence interval of this difference (Student's t)"),
        (
            "more for 0.01",
            "number of further seeds after which this half width would be 0.01, estimated from at least 5 seeds. A true \
             difference as large as the half width is found in half of all sweeps",
        ),
        ("p", "two-sided Mann-Whitney test against the first setting, corrected for the number of settings (Holm)"),
    ];
    let told = meanings.iter().filter(|(column, _)| has(column));
    told.map(|(column, meaning)| format!("{column}: {meaning}.")).collect::<Vec<_>>().join(" ")
}

/// Returns the tables as Markdown with aligned columns.
pub fn markdown(tables: &[Readable]) -> String {
    let mut text = String::new();
    for table in tables {
        let width = |column: usize| {
            let cells = table.rows.iter().map(|row| &row[column]).chain([&table.head[column]]);
            cells.map(|cell| cell.chars().count()).max().unwrap_or(0).max(3)
        };
        let widths: Vec<usize> = (0..table.head.len()).map(width).collect();
        let line = |cells: &[String]| {
            let padded = cells.iter().zip(&widths).enumerate().map(|(i, (cell, width))| {
                // A vertical bar would end the cell.
                let cell = cell.replace('|', "/");
                if i == 0 { format!(" {cell:width$} |") } else { format!(" {cell:>width$} |") }
            });
            format!("|{}\n", padded.collect::<String>())
        };
        let rule = widths.iter().enumerate().map(|(i, width)| {
            let dashes = "-".repeat(width + 1);
            if i == 0 { format!("{dashes}-|") } else { format!("{dashes}:|") }
        });
        let rows: String = table.rows.iter().map(|row| line(row)).collect();
        text += &format!("{}:\n\n{}|{}\n{rows}\n", table.title, line(&table.head), rule.collect::<String>());
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn group(label: &str, values: &[f64]) -> Group {
        let result = |(seed, v): (u64, &f64)| {
            json!({ "seed": seed, "remeasured_mean": v, "final_mean": null }).as_object().unwrap().clone()
        };
        Group { label: label.into(), results: (1..).zip(values).map(result).collect(), ..Group::default() }
    }

    #[test]
    fn settings_are_compared_with_the_first() {
        let low: Vec<f64> = (0..10).map(|i| 0.1 + 0.001 * f64::from(i)).collect();
        let high: Vec<f64> = low.iter().map(|x| x + 0.1).collect();
        let rows = summarise(&[group("first", &low), group("same", &low), group("better", &high), group("none", &[])]);
        let of = |row: usize| &rows[row].measures[0];
        assert_eq!((of(0).against_first, of(3).spread, rows[3].runs), (None, None, 0));
        let same = of(1).against_first.unwrap();
        assert_eq!((same.ranks.superiority, same.ranks.p, same.p_holm), (0.5, 1.0, 1.0));
        let better = of(2).against_first.unwrap();
        // Only 2 of the 184756 arrangements of the ranks are as extreme. Holm's correction doubles p, because two
        // settings with values are compared with the first one.
        assert!(
            (better.ranks.p - 2.0 / 184_756.0).abs() < 1e-12 && (better.p_holm - 2.0 * better.ranks.p).abs() < 1e-12
        );
        assert!((better.difference - 0.1).abs() < 1e-12 && better.ranks.superiority == 1.0);
        assert_eq!(rows[0].measures[2].spread, None, "null is no number");
        let json = serde_json::to_value(&rows[2]).unwrap();
        assert_eq!(json["measures"]["remeasured_mean"]["against_first"]["superiority"], 1.0);
    }

    #[test]
    fn runs_with_equal_seeds_are_compared_in_pairs() {
        // The differences of the common seeds 1 to 4 are 0.02, 0.04, 0.02 and 0.04: mean 0.03, standard deviation
        // 0.011547, quantile of t with 3 degrees of freedom 3.18245.
        let rows = summarise(&[group("first", &[0.1, 0.3, 0.2, 0.4, 9.0]), group("other", &[0.12, 0.34, 0.22, 0.44])]);
        let paired = rows[1].measures[0].against_first.unwrap().paired.unwrap();
        assert_eq!((paired.seeds, paired.further_seeds), (4, None), "too few for an estimate");
        assert!(
            (paired.difference - 0.03).abs() < 1e-12 && (paired.half_interval - 0.018_374).abs() < 1e-5,
            "{paired:?}"
        );
        let six = [0.12, 0.34, 0.22, 0.44, 0.02, 0.04];
        let rows = summarise(&[group("first", &[0.1, 0.3, 0.2, 0.4, 0.0, 0.0]), group("other", &six)]);
        let paired = rows[1].measures[0].against_first.unwrap().paired.unwrap();
        // Standard deviation 0.010954. With 7 pairs, the half width is 2.44691 x 0.010954 / sqrt(7) = 0.01013; with 8
        // pairs, it is 2.36462 x 0.010954 / sqrt(8) = 0.00916.
        assert_eq!(paired.further_seeds, Some(2));
        let equal = summarise(&[group("first", &six), group("other", &six)]);
        assert_eq!(equal[1].measures[0].against_first.unwrap().paired.unwrap().further_seeds, Some(0));
        let one = summarise(&[group("first", &[0.1, 0.3]), group("other", &[0.2])]);
        assert_eq!(one[1].measures[0].against_first.unwrap().paired, None);
    }

    #[test]
    fn tables_are_aligned_markdown() {
        let rows = summarise(&[group("a", &[0.25, 0.35]), group("long | label", &[0.5])]);
        let text = markdown(&tables(&rows)[..1]);
        let lines: Vec<&str> = text.lines().filter(|l| l.starts_with('|')).collect();
        assert_eq!(lines.len(), 4, "{text}");
        assert!(lines.iter().all(|l| l.chars().count() == lines[0].chars().count()), "{text}");
        assert!(lines[2].contains(" 0.3000 |") && lines[3].starts_with("| long / label |"), "{text}");
        assert!(lines[3].contains("+0.2000") && lines[3].contains("100 %"), "{text}");
        assert!(lines.iter().all(|l| l.matches('|').count() == 15), "{text}");
        assert!(!text.contains('`'), "{text}");
    }

    #[test]
    fn equal_displayed_values_compare_as_good() {
        let two = tables(&summarise(&[group("a", &[0.0, 0.00001]), group("b", &[0.00002, 0.0])]));
        assert_eq!(two[0].rows[1][9], "as good", "{:?}", two[0].rows);
        assert!(explanation(&two).contains("beats first: "));
        let one = tables(&summarise(&[group("a", &[0.1, 0.2])]));
        assert!(!explanation(&one).contains("first"), "{}", explanation(&one));
    }
}
