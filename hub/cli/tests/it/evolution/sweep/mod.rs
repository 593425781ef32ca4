//! Sweeps as real processes: the written files, recovery after a kill, and errors.

mod shared;

use crate::common::{processes, xpuck};
use crate::rig::valid_json;
use parquet::file::reader::SerializedFileReader;
use serde_json::Value;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Sweep of two points and two seeds, with tiny runs.
const SMALL: &str = r#"
name = "small"
seeds = [1, 2]

[base]
islands = 2
generations = 2
seconds = 1.0
remeasure = 2
settings.population = 8
migration.receive = 2

[grid]
"settings.elite" = [0.25, 0.5]
"#;

/// Columns that depend on the wall clock.
const TIMINGS: [&str; 2] = ["wall_s", "r_acc"];

struct Sweep {
    dir: tempfile::TempDir,
}

impl Sweep {
    fn new(text: &str) -> Sweep {
        let sweep = Sweep { dir: tempfile::tempdir().unwrap() };
        sweep.write(text);
        sweep
    }

    fn write(&self, text: &str) {
        std::fs::write(self.dir.path().join("s.toml"), text).unwrap();
    }

    fn out(&self) -> PathBuf {
        self.dir.path().join("out")
    }

    fn command(&self) -> Command {
        self.command_to("run")
    }

    /// Builds the command `xpuck sweep VERB` for this sweep.
    fn command_to(&self, verb: &str) -> Command {
        let mut command = xpuck();
        command.args(["sweep", verb]).arg(self.dir.path().join("s.toml")).arg("--output").arg(self.out());
        command
    }

    fn run(&self, more: &[&str]) -> Output {
        self.command().args(more).output().unwrap()
    }

    /// Runs `xpuck sweep` with a verb and options, which must succeed. Returns the result as JSON.
    fn json(&self, line: &[&str]) -> Value {
        let output = self.command_to(line[0]).arg("--json").args(&line[1..]).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        valid_json(&format!("sweep {}", line[0]), &output.stdout)
    }

    fn refusal(&self) -> String {
        let output = self.run(&[]);
        let error = String::from_utf8_lossy(&output.stderr).into_owned();
        assert!(output.status.code() == Some(1) && error.lines().count() == 1, "{error}");
        error
    }

    fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.out().join(name)).unwrap()
    }

    /// Returns the rows of a CSV file without the columns that depend on the wall clock.
    fn rows(&self, name: &str) -> Vec<Vec<String>> {
        let text = self.read(name);
        let mut reader = csv::ReaderBuilder::new().has_headers(false).from_reader(text.as_bytes());
        let mut rows: Vec<Vec<String>> =
            reader.records().map(|row| row.unwrap().iter().map(String::from).collect()).collect();
        for timing in TIMINGS {
            if let Some(clock) = rows[0].iter().position(|name| name == timing) {
                rows.iter_mut().for_each(|row| drop(row.remove(clock)));
            }
        }
        rows
    }
}

fn column(rows: &[Vec<String>], name: &str) -> Vec<String> {
    let place = rows[0].iter().position(|n| n == name).unwrap_or_else(|| panic!("{name}: {:?}", rows[0]));
    rows[1..].iter().map(|row| row[place].clone()).collect()
}

/// Checks that a sweep of two keys writes a heat map in addition to the curves. [`SMALL`] varies only one key, so its
/// sweep writes no heat map.
#[test]
fn two_keys_are_a_map() {
    let sweep = Sweep::new(&format!("{SMALL}\"migration.receive\" = [1, 2]\n"));
    let summary = sweep.json(&["run"]);
    let svg = sweep.read("heatmap.svg");
    let document = roxmltree::Document::parse(&svg).unwrap();
    let texts = |class: &str| -> Vec<String> {
        let of = document.descendants().filter(|n| n.attribute("class") == Some(class));
        of.filter_map(|n| n.text()).map(str::to_string).collect()
    };
    // In the summary, the key `migration.receive` comes before `settings.elite`. Therefore each row of the map has one
    // value of `migration.receive`.
    let mean = |i: usize| summary["settings"][i]["measures"]["remeasured_mean"]["spread"]["mean"].as_f64().unwrap();
    let expected: Vec<String> = (0..4).map(|i| format!("{:.4}", xpuck_stats::figure::Figure(mean(i)))).collect();
    assert_eq!(texts("mean"), expected);
    assert_eq!(texts("runs"), ["n = 2"; 4]);
    assert!(sweep.read("curves.html").contains("heatmap-scale"));
    let one = Sweep::new(SMALL);
    one.json(&["run"]);
    assert!(!one.out().join("heatmap.svg").exists());
}

#[test]
fn sweep_writes_tables_curves_and_summary() {
    let sweep = Sweep::new(SMALL);
    let summary = sweep.json(&["run"]);
    assert_eq!((&summary["runs"], &summary["done"], &summary["stopped"]), (&4.into(), &4.into(), &false.into()));
    let results = sweep.rows("results.csv");
    assert_eq!(column(&results, "settings.elite"), ["0.25", "0.25", "0.5", "0.5"]);
    assert_eq!(column(&results, "seed"), ["1", "2", "1", "2"]);
    let means: Vec<f64> = column(&results, "remeasured_mean").iter().map(|m| m.parse().unwrap()).collect();
    let spread = &summary["settings"][1]["measures"]["remeasured_mean"]["spread"];
    assert!((spread["mean"].as_f64().unwrap() - (means[2] + means[3]) / 2.0).abs() < 1e-12, "{summary}");
    // Each run gives the same result as `xpuck evolve` with the same file and seed.
    let alone = xpuck().arg("evolve").arg(sweep.out().join("points/p2.toml")).args(["--seed", "2", "--json"]).output();
    let alone: Value = serde_json::from_slice(&alone.unwrap().stdout).unwrap();
    assert_eq!(alone["remeasured_mean"].as_f64(), Some(means[3]));
    assert_eq!(alone["best_tree"].as_str().unwrap(), column(&results, "best_tree")[3]);

    // One header, and rows for 2 points x 2 seeds x 2 generations x 2 islands.
    let generations = sweep.rows("generations.csv");
    assert_eq!(generations.len(), 1 + 16);
    for (name, rows) in [("results", &results), ("generations", &generations)] {
        parquet_holds(&sweep.out().join(format!("{name}.parquet")), rows);
    }
    let svg = sweep.read("curves.svg");
    let document = roxmltree::Document::parse(&svg).unwrap();
    let texts: Vec<&str> = document.descendants().filter_map(|n| n.text()).collect();
    assert!(texts.contains(&"elite 0.25") && texts.iter().any(|t| t.contains("mean over 2 seeds")), "{texts:?}");
    let page = sweep.read("curves.html");
    assert!(page.contains("<svg") && page.contains("<td>elite 0.5</td>"));
    // The only URL in the page is the namespace of SVG.
    assert_eq!(page.matches("http").count(), page.matches("http://www.w3.org/2000/svg").count());
    assert!(sweep.read("summary.md").contains("| elite 0.5 "));

    // The best run of each setting is the run whose champion has the highest remeasured fitness. `tree` is the path of
    // this champion's tree.
    let again: Vec<f64> = column(&results, "remeasured_best").iter().map(|m| m.parse().unwrap()).collect();
    for (point, best) in summary["best"].as_array().unwrap().iter().enumerate() {
        let (worth, seed) = (best["measured_again"].as_f64().unwrap(), best["seed"].as_u64().unwrap());
        let of_point = &again[2 * point..2 * point + 2];
        assert_eq!((worth, of_point[seed as usize - 1]), (of_point[0].max(of_point[1]), worth), "{best}");
        let tree = sweep.read(best["tree"].as_str().unwrap());
        // A value that rounds to zero is printed without a sign.
        let rounded = |digits: usize| {
            let text = format!("{worth:.digits$}");
            if text.parse() == Ok(0.0) { text.replace('-', "") } else { text }
        };
        let (short, long) = (rounded(3), rounded(4));
        assert!(tree.starts_with("# ") && tree.contains(&format!("{short} measured again in 2 simulations")), "{tree}");
        assert!(
            sweep
                .read("summary.md")
                .contains(&format!("{} (seed {seed}), {long} remeasured", best["run"].as_str().unwrap()))
        );
    }
    assert_eq!(summary["best"].as_array().unwrap().len(), 2);
}

/// Checks that the Parquet file has the columns and values of the CSV file.
fn parquet_holds(path: &Path, rows: &[Vec<String>]) {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let found: Vec<_> = reader.into_iter().map(|row| row.unwrap()).collect();
    assert_eq!(found.len(), rows.len() - 1, "{}", path.display());
    for (row, text) in found.iter().zip(&rows[1..]) {
        let fields = row.get_column_iter().filter(|(name, _)| !TIMINGS.contains(&name.as_str()));
        for (((name, field), expected), cell) in fields.zip(&rows[0]).zip(text) {
            assert_eq!(name, expected);
            let same = match field {
                parquet::record::Field::Null => cell.is_empty(),
                parquet::record::Field::Str(text) => text == cell,
                parquet::record::Field::Long(number) => number.to_string() == *cell,
                parquet::record::Field::Double(number) => format!("{number:?}") == *cell,
                other => panic!("{name}: {other:?}"),
            };
            assert!(same, "{name}: {field:?} and {cell}");
        }
    }
}

/// Waits until a condition holds. Checks the condition every 5 ms, because runs are short.
fn wait(what: &str, mut holds: impl FnMut() -> bool) {
    let deadline = Instant::now() + xpuck_testing::patience();
    while !holds() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn killed_sweep_ends_its_runs_and_resumes_to_the_same_digits() {
    // The runs are long enough that the kill interrupts them.
    let text = SMALL.replace("generations = 2", "generations = 100").replace("name", "jobs = 2\nname");
    let whole = Sweep::new(&text);
    whole.json(&["run"]);
    let killed = Sweep::new(&text);
    let folder = killed.out().display().to_string();
    let having = |name: &str| {
        let runs = std::fs::read_dir(killed.out().join("runs")).into_iter().flatten().flatten();
        runs.filter(|run| run.path().join(name).exists()).count()
    };
    // A sweep that gets SIGKILL cannot stop the processes of its runs, which must end by themselves. A sweep that gets
    // SIGTERM ends and keeps the completed runs.
    for (signal, done, code) in [("-KILL", 0, None), ("-TERM", 1, Some(75))] {
        let mut child = killed.command().stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
        wait("a checkpoint", || having("result.json") >= done && having("checkpoint-1") > having("result.json"));
        let id = child.id().to_string();
        assert!(Command::new("kill").args([signal, &id]).status().unwrap().success());
        assert_eq!(child.wait().unwrap().code(), code);
        assert!(having("result.json") < 4, "it was killed in the middle");
        wait("the runs end with it", || processes(&["evolve", &folder]).is_empty());
    }
    assert_eq!(killed.rows("results.csv").len(), 1 + having("result.json"), "what was done when it was stopped");
    assert_eq!(killed.json(&["run"])["done"], 4);
    assert_eq!(killed.rows("results.csv"), whole.rows("results.csv"));
    assert_eq!(killed.read("generations.csv"), whole.read("generations.csv"));
    // A repeated call on a completed sweep writes the same file again.
    let before = killed.read("results.csv");
    killed.json(&["run"]);
    assert_eq!(killed.read("results.csv"), before);
}

#[test]
fn failed_run_is_named_and_others_continue() {
    let sweep = Sweep::new(SMALL);
    // The run p1-s2 fails, because a file has the name of the run's folder.
    std::fs::create_dir_all(sweep.out().join("runs")).unwrap();
    std::fs::write(sweep.out().join("runs/p1-s2"), "").unwrap();
    let output = sweep.run(&["--json"]);
    let summary = valid_json("sweep run", &output.stdout);
    let error = String::from_utf8_lossy(&output.stderr).into_owned();
    assert_eq!((output.status.code(), &summary["done"]), (Some(1), &3.into()), "{error}");
    assert_eq!(summary["failed"][0]["run"], "p1-s2");
    assert!(error.contains("p1-s2: ") && error.contains("1 of 4 runs failed; run the same command again"), "{error}");
    assert_eq!(sweep.rows("results.csv").len(), 1 + 3);
    std::fs::remove_file(sweep.out().join("runs/p1-s2")).unwrap();
    assert_eq!(sweep.json(&["run"])["done"], 4);
}

#[test]
fn sweep_may_grow_but_not_change() {
    let sweep = Sweep::new(&SMALL.replace("[1, 2]", "[1]"));
    assert_eq!(sweep.json(&["run"])["done"], 2);
    sweep.write(&SMALL.replace("generations = 2", "generations = 3"));
    let error = sweep.refusal();
    assert!(
        error.contains("started with another points/p1.toml; undo the change, or choose another folder"),
        "{error}"
    );
    sweep.write(SMALL);
    let listed = sweep.json(&["list"]);
    assert_eq!(
        (&listed[1]["label"], &listed[1]["seeds"], &listed[1]["done"]),
        (&"elite 0.5".into(), &2.into(), &1.into())
    );
    assert_eq!(sweep.json(&["run"])["done"], 4);
}

#[test]
fn invalid_files_are_rejected_before_any_run() {
    let sweep = Sweep::new("");
    for (from, to, expected) in [
        ("seeds = [1, 2]", "seeds = [1, 2]\nsedes = 3", "unknown field `sedes`"),
        ("\"settings.elite\" = [0.25, 0.5]", "", "[grid] is empty"),
        ("seeds = [1, 2]", "seeds = \"1-9999\"", "19998 runs; at most 10000"),
        ("0.5]", "5.0]", "elite = 5 is outside 0.01 to 0.9"),
        (
            "\"settings.elite\"",
            "\"settings.elites\"",
            "s.toml: point 1 (`elites 0.25`): settings: unknown key `elites`; did you mean `elite`?",
        ),
        ("islands = 2", "islands = 2\nworld = \"nowhere.toml\"", "s.toml: point 1 (`elite 0.25`): "),
    ] {
        sweep.write(&SMALL.replace(from, to));
        let error = sweep.refusal();
        assert!(error.contains(expected), "{error}");
        assert!(!sweep.out().exists(), "{error}");
    }
}

#[test]
fn printed_numbers_and_boxes_are_shown_with_those_of_the_runs() {
    let curves = "[curves]\nx = \"generation\"\ny = \"seconds\"\nboxes = 2\n";
    let printed = "[[printed]]\nwhat = \"a run, s\"\npoint = \"elite 0.5\"\nof = \"sum\"\nthesis = [340, 344]\n\
                   source = \"Fig. 5.11\"\n";
    let sweep = Sweep::new(&format!("{SMALL}{curves}{printed}"));
    let summary = sweep.json(&["run"]);
    let compared = &summary["printed"][0];
    assert_eq!((&compared["thesis"], &compared["thesis_spread"]["n"]), (&342.0.into(), &2.into()), "{compared}");
    // The value of the thesis is compared with a mean over the runs. The value of a run is the sum of the times in its
    // table.
    let seconds = |seed: u32| -> f64 {
        let text = sweep.read(&format!("runs/p2-s{seed}/times.csv"));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!((lines.len(), lines[0]), (3, "generation,wall_s"), "{text}");
        lines[1..].iter().map(|line| line.split_once(',').unwrap().1.parse::<f64>().unwrap()).sum()
    };
    let mean = (seconds(1) + seconds(2)) / 2.0;
    assert!(mean > 0.0 && (compared["here"].as_f64().unwrap() - mean).abs() < 1e-9, "{compared}");
    assert!(sweep.read("summary.md").contains("| a run, s ") && sweep.read("curves.html").contains("Fig. 5.11"));
    assert_eq!(sweep.read("curves.svg").matches("class=\"median\"").count(), 2);
    // Earlier releases did not record times, so their runs lack this file.
    std::fs::remove_file(sweep.out().join("runs/p1-s1/times.csv")).unwrap();
    assert!(sweep.refusal().contains("runs/p1-s1/times.csv"));
    sweep.write(&format!("{SMALL}{curves}{}", printed.replace("elite 0.5", "elite 5")));
    assert!(sweep.refusal().contains("printed 1: point = \"elite 5\": no point has this label"));
}

/// The thesis experiments, reduced to few trees, seconds and generations.
#[test]
fn files_of_the_thesis_run_and_compare_printed_values() {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/experiments");
    for name in ["fig-5.10", "fig-5.11", "fig-7.7", "fig-8.1"] {
        let text = std::fs::read_to_string(format!("{folder}/{name}.toml")).unwrap();
        let mut file: toml::Table = text.parse().unwrap();
        file.insert("seeds".into(), "1-2".into());
        let small = |table: &mut toml::Table| {
            for (key, value) in [("generations", 2), ("seconds", 1)] {
                table.get_mut(key).into_iter().for_each(|old| *old = toml::Value::Integer(value));
            }
            for key in ["world", "primitive_set"] {
                table
                    .get_mut(key)
                    .into_iter()
                    .for_each(|old| *old = format!("{folder}/{}", old.as_str().unwrap()).into());
            }
            if let Some(settings) = table.get_mut("settings").and_then(toml::Value::as_table_mut) {
                settings.get_mut("population").into_iter().for_each(|old| *old = toml::Value::Integer(12));
                settings.get_mut("elite").into_iter().for_each(|old| *old = toml::Value::Float(0.25));
            }
        };
        small(file["base"].as_table_mut().unwrap());
        file["base"].as_table_mut().unwrap().insert("remeasure".into(), toml::Value::Integer(2));
        file["points"].as_array_mut().unwrap().iter_mut().for_each(|point| small(point.as_table_mut().unwrap()));
        let sweep = Sweep::new(&file.to_string());
        let summary = sweep.json(&["run"]);
        let printed = summary["printed"].as_array().unwrap();
        assert_eq!(printed.len(), file["printed"].as_array().unwrap().len(), "{name}");
        assert!(printed.iter().all(|one| one["thesis"].is_number() && one["runs"] == 2), "{name}: {printed:?}");
    }
}
