//! Tests of runs that share an engine in one process.

use super::*;
use crate::engine;
use xpuck_kernels::engine::SharedEngine;

const FILE: &str = "islands = 2\ngenerations = 6\nseconds = 2.0\nremeasure = 2\nalgorithm = \"median-stopping\"\n\
    [settings]\npopulation = 24\n";

/// Executes three runs in `folder`, at most `jobs` at once. Returns their tables of generations and their endings.
fn sweep(folder: &Path, jobs: usize, stop: bool) -> (Vec<String>, Vec<Ending>) {
    let file = folder.join("p1.toml");
    std::fs::write(&file, FILE).unwrap();
    let run = |seed| Run {
        point: 0,
        seed,
        name: format!("p1-s{seed}"),
        file: file.clone(),
        folder: folder.join(format!("p1-s{seed}")),
    };
    let runs: Vec<Run> = (1..=3).map(run).collect();
    let shared = SharedEngine::new(engine::simd());
    let stop = AtomicBool::new(stop);
    let (engine, program) = (Some(&shared), Path::new("/no program"));
    let endings = execute(&runs, &Plan { program, jobs, threads: None, options: &[], engine, stop: &stop }, |_, _| ());
    let table = |run: &Run| std::fs::read_to_string(run.folder.join("generations.csv")).unwrap_or_default();
    (runs.iter().map(table).collect(), endings)
}

#[test]
fn runs_beside_each_other_have_the_digits_of_single_runs() {
    let [alone, together] = [1, 3].map(|jobs| {
        let dir = tempfile::tempdir().unwrap();
        let (tables, endings) = sweep(dir.path(), jobs, false);
        assert_eq!(endings, [Ending::Done, Ending::Done, Ending::Done]);
        assert!(dir.path().join("p1-s2/result.json").exists());
        tables
    });
    assert_eq!(alone, together);
    assert!(alone[0] != alone[1] && alone[0].lines().count() == 1 + 2 * 6, "{}", alone[0]);
}

#[test]
fn failed_run_does_not_end_the_others() {
    let dir = tempfile::tempdir().unwrap();
    std::fs::write(dir.path().join("p1-s2"), "a file where the folder should be").unwrap();
    let (_, endings) = sweep(dir.path(), 3, false);
    assert!(matches!(&endings[1], Ending::Failed(line) if line.contains("p1-s2")), "{:?}", endings[1]);
    assert_eq!([&endings[0], &endings[2]], [&Ending::Done, &Ending::Done]);
    let log = std::fs::read_to_string(dir.path().join("p1-s2.log")).unwrap();
    assert!(log.starts_with("xpuck: ") && log.lines().count() == 1, "{log}");
}

#[test]
fn stopped_sweep_continues_with_the_same_digits() {
    let dir = tempfile::tempdir().unwrap();
    assert_eq!(sweep(dir.path(), 3, true).1, [Ending::Stopped, Ending::Stopped, Ending::Stopped]);
    let other = tempfile::tempdir().unwrap();
    assert_eq!(sweep(dir.path(), 3, false).0, sweep(other.path(), 3, false).0);
}
