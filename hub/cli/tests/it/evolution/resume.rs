//! Folders of runs that were interrupted during a write, or that contain damaged checkpoints. A resumed run must give
//! the same result as an uninterrupted run.

use crate::evolution::runs::{CHECKPOINTS, assert_same, contents, resume};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use toml::Table;
use xpuck_lab::evolution_run::file as evolution_file;
use xpuck_lab::evolution_run::{Config, Ended, EvolutionRun, Folder, Outcome, RECORD, Resumed, run};

fn config(overrides: &str) -> Config {
    let base = "islands = 2\nrobots = 2\nseconds = 1.0\nremeasure = 2\nsettings.population = 12\n";
    let mut table: Table = base.parse().unwrap();
    evolution_file::merge(&mut table, overrides.parse().unwrap());
    evolution_file::load(None, table).unwrap()
}

/// Completes a resumed run in this process.
fn complete(Resumed { mut folder, mut evolution, .. }: Resumed) {
    let ended = run(&mut evolution, Some(&mut folder), &AtomicBool::new(false), |_| {}).unwrap();
    assert_eq!(ended, Ended::Finished);
    let mut outcome = Outcome::from_evolution(&evolution).unwrap();
    outcome.wall_s += 1.0;
    folder.finish(&evolution, &outcome).unwrap();
}

/// Starts a run in this process, and stops the run after `stop_at` generations.
fn begin(out: &Path, config: Config, stop_at: u32) {
    let mut folder = Folder::create(out, &config).unwrap();
    let stop = AtomicBool::new(stop_at == 0);
    let mut evolution = EvolutionRun::new(config);
    let watch = |evolution: &EvolutionRun| {
        stop.store(evolution.state().generation == stop_at, Ordering::Relaxed);
    };
    run(&mut evolution, Some(&mut folder), &stop, watch).unwrap();
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        std::fs::copy(&path, to.join(path.file_name().unwrap())).unwrap();
    }
}

/// Folders of the same run before and after the write of generation 6, and the result of the uninterrupted run.
struct SnapshotPair {
    dir: tempfile::TempDir,
    expected: BTreeMap<String, Vec<u8>>,
}

impl SnapshotPair {
    fn new() -> SnapshotPair {
        let dir = tempfile::tempdir().unwrap();
        for (name, stop_at) in [("before", 5), ("after", 6), ("whole", 5)] {
            begin(&dir.path().join(name), config("generations = 9"), stop_at);
        }
        complete(Folder::resume(&dir.path().join("whole")).unwrap());
        let expected = contents(&dir.path().join("whole"));
        SnapshotPair { dir, expected }
    }

    /// Makes a fresh copy of the folder after generation 5.
    fn before(&self) -> std::path::PathBuf {
        let place = self.dir.path().join("case");
        let _ = std::fs::remove_dir_all(&place);
        copy(&self.dir.path().join("before"), &place);
        place
    }

    fn after(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.dir.path().join("after").join(name)).unwrap()
    }
}

#[test]
fn crash_at_any_byte_of_write_changes_nothing() {
    let sides = SnapshotPair::new();
    let (record, table, checkpoint) =
        (sides.after(RECORD), sides.after("generations.csv"), sides.after("checkpoint-0"));
    let old = |name: &str| std::fs::metadata(sides.dir.path().join("before").join(name)).unwrap().len() as usize;
    let (r, t) = (old(RECORD), old("generations.csv"));
    let mut cases: Vec<(usize, usize, Option<usize>)> = Vec::new();
    // In the record, the chunk of generation 6 overwrites the end marker that follows generation 5.
    cases.extend((r..record.len()).step_by(97).map(|cut| (cut, t, None)));
    cases.extend((t..=table.len()).step_by(29).map(|cut| (record.len(), cut, None)));
    cases.extend((0..=checkpoint.len()).step_by(701).map(|cut| (record.len(), table.len(), Some(cut))));
    for (record_cut, table_cut, new) in cases {
        let place = sides.before();
        std::fs::write(place.join(RECORD), &record[..record_cut]).unwrap();
        std::fs::write(place.join("generations.csv"), &table[..table_cut]).unwrap();
        if let Some(cut) = new {
            std::fs::write(place.join("checkpoint-0.new"), &checkpoint[..cut]).unwrap();
        }
        let resumed = Folder::resume(&place).unwrap();
        assert_eq!((resumed.evolution.state().generation, resumed.notices.len()), (5, 0));
        complete(resumed);
        assert_same(&place, &sides.expected);
    }
}

#[test]
fn every_algorithm_resumes_under_every_policy() {
    let dir = tempfile::tempdir().unwrap();
    let places = "migration.places_m = [[0.0, 0.0], [0.1, 0.0], [0.3, 0.0], [0.5, 0.5]]\n";
    for (algorithm, policy, more) in [
        ("noise-aware", "ring", ""),
        ("classic", "near", places),
        ("dars2016", "random", "migration.neighbours = 1\n"),
        ("pooled-samples", "random", "settings.restart_every = 4\n"),
        ("pooled-samples", "none", "settings.representation = \"grammar\"\n"),
        ("classic", "full", "settings.representation = \"adf\"\n"),
        ("median-stopping", "full", ""),
        (
            "racing",
            "full",
            "[[steps]]\nname = \"a\"\nrobots = 1\nend = \"gennum >= 2\"\n[[steps]]\nname = \"b\"\nseconds = 2.0\nend = \"gennum-thisstep >= 4\"\n",
        ),
    ] {
        let text = format!(
            "generations = 9\nislands = 4\nalgorithm = \"{algorithm}\"\nmigration.policy = \"{policy}\"\n\
            migration.every = 2\n{more}"
        );
        let [whole, cut] = ["whole", "cut"].map(|name| dir.path().join(format!("{algorithm}-{policy}-{name}")));
        begin(&whole, config(&text), 9);
        complete(Folder::resume(&whole).unwrap());
        begin(&cut, config(&text), 5);
        let resumed = Folder::resume(&cut).unwrap();
        assert_eq!(resumed.evolution.state().generation, 5);
        complete(resumed);
        assert_same(&cut, &contents(&whole));
    }
}

#[test]
fn damaged_checkpoint_falls_back_to_the_other_or_is_rejected() {
    let sides = SnapshotPair::new();
    let sound = std::fs::read(sides.before().join("checkpoint-1")).unwrap();
    let flipped = |at: usize| {
        let mut bytes = sound.clone();
        bytes[at] ^= 0x20;
        bytes
    };
    let cases = [
        (sound[..100].to_vec(), "has 100 bytes, but its header announces"),
        (Vec::new(), "has 0 bytes, but its header announces 28"),
        (flipped(sound.len() - 9), "is corrupt: its checksum is wrong"),
        (flipped(8), "has format 38, but this program reads format 6"),
        (b"generation,island".to_vec(), "is not a checkpoint"),
    ];
    for (bytes, expected) in cases {
        let place = sides.before();
        std::fs::write(place.join("checkpoint-1"), &bytes).unwrap();
        let resumed = Folder::resume(&place).unwrap();
        // The damaged checkpoint 1 contained generation 5. Checkpoint 0 contains generation 4.
        assert_eq!(resumed.evolution.state().generation, 4);
        let [notice] = resumed.notices.as_slice() else { panic!("{:?}", resumed.notices) };
        assert!(notice.contains("checkpoint-1: ") && notice.contains(expected), "{notice}");
        assert!(notice.ends_with("continuing from the other checkpoint, generation 4"), "{notice}");
        complete(resumed);
        assert_same(&place, &sides.expected);

        let place = sides.before();
        CHECKPOINTS.iter().for_each(|name| std::fs::write(place.join(name), &bytes).unwrap());
        let refused = resume(&place).output().unwrap();
        let error = String::from_utf8(refused.stderr).unwrap();
        assert_eq!((refused.status.code(), error.lines().count()), (Some(1), 1), "{error}");
        assert!(error.contains(expected) && error.contains("start again from run.toml"), "{error}");
    }
}

/// A run's folder may come from another user. Files outside the folder are never written, and a pipe never blocks the
/// program.
#[test]
fn links_and_pipes_in_a_run_are_not_followed() {
    let sides = SnapshotPair::new();
    let outside = sides.dir.path().join("outside");
    let spoilt = |name: &str, pipe: bool| {
        let place = sides.before();
        let file = place.join(name);
        let _ = std::fs::remove_file(&file);
        match pipe {
            true => assert!(Command::new("mkfifo").arg(&file).status().unwrap().success()),
            false => std::os::unix::fs::symlink(&outside, &file).unwrap(),
        }
        place
    };
    for (name, pipe, why) in [
        ("times.csv", false, "it is a symbolic link"),
        ("times.csv", true, "it is a named pipe"),
        (RECORD, true, "it is a named pipe"),
        ("trees", false, "is a link; replace it by its target"),
    ] {
        let place = spoilt(name, pipe);
        std::fs::write(&outside, "precious").unwrap();
        let refused = resume(&place).output().unwrap();
        let error = String::from_utf8(refused.stderr).unwrap();
        assert!(!refused.status.success() && error.contains(why), "{name}: {error}");
        assert_eq!(std::fs::read(&outside).unwrap(), b"precious", "{name}");
    }
}

#[test]
fn another_configuration_is_refused_and_names_the_remedy() {
    let sides = SnapshotPair::new();
    let refusal = |place: &Path| {
        let output = resume(place).output().unwrap();
        assert_eq!(output.status.code(), Some(1));
        let error = String::from_utf8(output.stderr).unwrap();
        assert_eq!(error.lines().count(), 1, "{error}");
        error
    };
    let place = sides.before();
    let text = std::fs::read_to_string(place.join("run.toml")).unwrap();
    std::fs::write(place.join("run.toml"), text.replace("seed = 1", "seed = 2")).unwrap();
    let error = refusal(&place);
    assert!(
        error.contains("belongs to another configuration than the current run.toml; restore the original run.toml"),
        "{error}"
    );
    std::fs::write(place.join("run.toml"), format!("# a remark changes nothing\n{text}")).unwrap();
    assert_eq!(Folder::resume(&place).unwrap().evolution.state().generation, 5);
    std::fs::write(place.join("run.toml"), text.replace("seed", "sead")).unwrap();
    assert!(refusal(&place).contains("run.toml: line "), "{}", refusal(&place));
    assert!(refusal(sides.dir.path()).contains("contains no run, as it has no run.toml; start one with --output"));
    std::fs::write(place.join("run.toml"), &text).unwrap();
    std::fs::write(place.join(RECORD), b"short").unwrap();
    assert!(refusal(&place).contains("record.mcap has 5 bytes; this checkpoint expects "), "{}", refusal(&place));
    std::fs::rename(place.join(RECORD), place.join("record.xprec")).unwrap();
    assert!(refusal(&place).contains("record.xprec: has format 1, which xpuck 0.1.0 reads"), "{}", refusal(&place));
    assert!(!place.join(RECORD).exists(), "nothing is begun beside it");
}

#[test]
fn folder_holds_one_run_of_one_process() {
    let dir = tempfile::tempdir().unwrap();
    let out = dir.path().join("run");
    let folder = Folder::create(&out, &config("")).unwrap();
    let error = Folder::resume(&out).map(|_| ()).unwrap_err().to_string();
    assert!(error.ends_with("another process uses this run; wait for its end"), "{error}");
    drop(folder);
    assert!(Folder::resume(&out).is_ok_and(|resumed| resumed.evolution.state().generation == 0), "it begins again");
    let error = Folder::create(&out, &config("")).map(|_| ()).unwrap_err().to_string();
    assert!(error.ends_with("already contains a run; go on with --resume, or choose another folder"), "{error}");
}

#[test]
fn run_starts_only_in_its_own_folder() {
    let dir = tempfile::tempdir().unwrap();
    let refusal = || Folder::create(dir.path(), &config("")).map(|_| ()).unwrap_err().to_string();
    let record = std::fs::File::create(dir.path().join(RECORD)).unwrap();
    record.lock().unwrap();
    assert!(refusal().ends_with("another process uses this run; wait for its end"), "{}", refusal());
    assert!(!dir.path().join("run.toml").exists(), "who loses the race leaves nothing of its own");
    record.unlock().unwrap();
    std::fs::write(dir.path().join(RECORD), "of something else").unwrap();
    assert!(refusal().ends_with("is not empty: it contains `record.mcap`; choose a new folder"), "{}", refusal());
    assert_eq!(std::fs::read(dir.path().join(RECORD)).unwrap(), b"of something else");
}

#[test]
fn changes_since_the_write_are_reported() {
    let sides = SnapshotPair::new();
    for name in [RECORD, "generations.csv"] {
        let place = sides.before();
        let mut bytes = std::fs::read(place.join(name)).unwrap();
        bytes[100] ^= 1;
        std::fs::write(place.join(name), bytes).unwrap();
        let resumed = Folder::resume(&place).unwrap();
        let [notice] = resumed.notices.as_slice() else { panic!("{:?}", resumed.notices) };
        assert!(notice.contains(&format!("{name}: has changed since it was written; the run continues")), "{notice}");
        assert_eq!(resumed.evolution.state().generation, 5);
    }
    assert!(Folder::resume(&sides.before()).unwrap().notices.is_empty());
}

/// Measures the disk space of a generation and the time to save it, which docs/evolution.md documents. The run has the
/// budget of the thesis.
#[test]
fn keeping_a_generation_of_nine_islands_is_cheap() {
    let dir = tempfile::tempdir().unwrap();
    let config = evolution_file::load(None, "robots = 1\nseconds = 1.0\n".parse().unwrap()).unwrap();
    let mut folder = Folder::create(&dir.path().join("run"), &config).unwrap();
    let mut evolution = EvolutionRun::new(config);
    let size = |name: &str| std::fs::metadata(dir.path().join("run").join(name)).unwrap().len();
    let mut before = 0;
    for generation in 1..=6 {
        let step = evolution.step();
        let started = Instant::now();
        folder.keep(evolution.state(), &step).unwrap();
        let taken = started.elapsed();
        let (record, checkpoint) = (size(RECORD) - before, size(CHECKPOINTS[generation % 2]));
        before = size(RECORD);
        println!("generation {generation}: record {record} bytes, checkpoint {checkpoint} bytes, kept in {taken:?}");
        assert!(checkpoint < 1_000_000 && taken < xpuck_testing::patience::scaled(Duration::from_secs(1)));
        // A run of 16 minutes has 200 generations.
        assert!(200 * record < 50_000_000);
    }
}
