//! Tests of the files of Petrovic's program. They give the same result as the curricula of this project, and errors
//! contain file, line and key.

use xpuck_automata::cargo::{Rect, Scene, published_scene};
use xpuck_hub_automata::scenario::{EarlyStop, Scenario, Step, original};

const PROJECT: &str = include_str!("original/sequential.prj");
const WORLD: &str = include_str!("original/sequential4.prj.3");
const OURS: &str = include_str!("../../../docs/curricula/cargo-sequential-printed.toml");

fn project(text: &str) -> Result<Scenario, String> {
    original::project("s.prj", text, |path| match path.strip_prefix("project/cargo/cfg/sequential4.prj.") {
        Some(_) => Ok(WORLD.into()),
        None => Err(format!("{path} is not there")),
    })
    .map_err(|error| error.to_string())
}

#[test]
fn original_project_has_same_steps_as_own_file() {
    let theirs = project(PROJECT).unwrap();
    let ours = Scenario::parse("ours", OURS).unwrap();
    assert_eq!(theirs.name, "sequential");
    assert_eq!((theirs.steps.len(), &theirs.order), (ours.steps.len(), &ours.order));
    for (i, (a, b)) in theirs.steps.iter().zip(&ours.steps).enumerate() {
        assert_eq!(a.name, i.to_string());
        assert_eq!(a.settings, b.settings, "step {i}");
        assert_eq!((&a.after, &a.blends, &a.bounds), (&b.after, &b.blends, &b.bounds), "step {i}");
        assert_eq!((&a.rates, fixed(a), a.weights, a.size), (&b.rates, fixed(b), b.weights, b.size), "step {i}");
        assert_eq!((a.starts, a.repeats, a.time, a.combine), (b.starts, b.repeats, b.time, b.combine), "step {i}");
        assert_eq!((a.early_stop, &a.saved), (None, &vec![]));
        if b.name != "follow-lit" {
            assert_eq!(as_ours(a.world.scene().clone()), *b.world.scene(), "step {i}");
        }
    }
}

fn fixed(step: &Step) -> Vec<String> {
    let mut fixed: Vec<String> = step.fixed.iter().map(|fixed| format!("{fixed:?}")).collect();
    fixed.sort();
    fixed
}

/// Returns the world of Petrovic's file without its known differences from the world of this project. The file lists
/// the three starts four times. Its loading area is at the wall, whereas in this project it has the place of the
/// signal area.
fn as_ours(mut scene: Scene) -> Scene {
    assert_eq!(scene.starts.len(), 12);
    assert!(scene.starts.chunks(3).all(|starts| *starts == scene.starts[..3]));
    scene.starts.truncate(3);
    assert_eq!(scene.areas[1].at, Rect { x: 0.58975, y: 0.975, width: 0.075, height: 0.025 });
    scene.areas[1].at = scene.areas[0].at;
    scene
}

#[test]
fn original_world_equals_own_world() {
    let mut theirs = as_ours(original::world("w", WORLD).unwrap());
    // Petrovic's file contains rounded headings, so they are compared with a tolerance.
    for (theirs, ours) in theirs.areas.iter_mut().zip(&published_scene().areas) {
        let (Some(theirs), Some(ours)) = (&mut theirs.heading, ours.heading) else { panic!("an area without heading") };
        assert!((theirs[0] - ours[0]).abs() < 1e-6);
        *theirs = ours;
    }
    assert_eq!(theirs, published_scene());
}

/// Replaces the line that is `further` lines after the first line that begins with `comment`. Returns the text and
/// the number of the replaced line.
fn changed(text: &str, comment: &str, further: usize, to: &str) -> (String, usize) {
    let mut lines: Vec<&str> = text.lines().collect();
    let at = lines.iter().position(|line| line.starts_with(comment)).unwrap() + further;
    lines[at] = to;
    (lines.join("\n"), at + 1)
}

#[test]
fn mistakes_in_a_project_are_named_with_line_and_key() {
    for (comment, further, to, message) in [
        ("# individuals", 3, "1", "step 2: population: 1 is out of range; must be 2 to 4096"),
        ("# selection", 1, "3", "selection: 3 is not a valid selection method"),
        ("# ends", 7, "gennum > 700", "step 6: end: it can never hold"),
        ("# descriptions", 2, "project/beep.mod", "modules: \"project/beep.mod\" is not a file of module cargoloader"),
        (
            "# their modules and files",
            6,
            "fsa/fsa.dat",
            "fixed: \"fsa/fsa.dat\" is neither a hand-made automaton nor a result of a step",
        ),
        ("# which", 1, "9", "after: 9 is not a step; must be 0 to 6"),
        ("# which", 1, "-1", "after: -1 is not a saved population; the number of saved populations is 0"),
        ("# combination", 1, "5", "combine: 5 is not a valid combination"),
        ("# weight of changes", 2, "x", "lit changes: \"x\" is not a valid number"),
        ("# checkpoints", 1, "4", "early-stop: a list of checkpoints is not supported"),
    ] {
        let (text, line) = changed(PROJECT, comment, further, to);
        let error = project(&text).unwrap_err();
        assert!(error.starts_with(&format!("s.prj: line {line}: {message}")), "{error}");
    }
    let error = project(&format!("{PROJECT}0\n")).unwrap_err();
    assert!(error.contains("file: \"0\" follows the last value"), "{error}");
    let (text, line) = changed(PROJECT, "# worlds", 1, "worlds/a.prj");
    assert_eq!(project(&text).unwrap_err(), format!("s.prj: line {line}: world: worlds/a.prj.0 is not there"));
}

#[test]
fn early_stop_and_saved_population_are_parsed() {
    let (text, _) = changed(PROJECT, "# checkpoints", 7, "-1 0 0.05 20000 5000");
    let (text, _) = changed(&text, "# saved populations", 1, "1 population/follow");
    let (text, _) = changed(&text, "# steps directly before", 7, "2");
    let (text, _) = changed(&text, "# which", 5, "5 -1");
    let rows = "# step 6\n2\n0.5 0.5 0.3 2\n4\n0.5 0.5 0.3 2\n0";
    assert!(text.contains(rows));
    let text = text.replace(rows, "2 0.5 0.5 0.3 2 0 0 0 0 4 0.5 0.3 0.3 2 1 0.2 0 0 0");
    let read = |population: &'static str| {
        original::project("s.prj", &text, move |path| {
            Ok(if path == "population/follow" { population.into() } else { WORLD.into() })
        })
    };
    let scenario = read("population 1 lnflwer\nindividual 5\nmodule lnflwer\nstates 1\n").unwrap();
    let step = &scenario.steps[6];
    assert_eq!(step.early_stop, Some(EarlyStop { after: 20_000, every: 5_000, share: 0.05 }));
    assert_eq!((&step.after, &step.saved, scenario.populations.len()), (&vec![5], &vec![0], 1));
    let froms: Vec<(usize, usize, f32)> = step.blends.iter().map(|b| (b.part, b.from, b.copied)).collect();
    assert_eq!(froms, [(0, 0, 0.5), (1, 0, 0.3), (1, 1, 0.2)]);
    let error = read("population 1 explore\nindividual 5\nmodule explore\nstates 1\n").unwrap_err().to_string();
    assert!(error.contains("step 6: blend: ") && error.contains("are for explore, not for lnflwer"), "{error}");
}

#[test]
fn mistakes_in_a_world_are_named_with_line_and_key() {
    for (comment, further, to, message) in [
        ("# obstacles", 2, "2 0.2 0.2 0.1 0.1", "obstacles[0]: 2 is not supported; must be 1 (a rectangle)"),
        ("# obstacles", 3, "1 0.4 7 0.1 0.1", "obstacles[1] is 7; it must be 0 to 1"),
        ("# obstacles", 1, "65", "obstacles: the count is 65; at most 64 are allowed"),
        ("# marks", 2, "2 0.4 0.4 2.5 5 30", "lines[0].width is 2.5"),
        ("# modules with", 1, "1", "post-offices: 1 is not a module with a post-office; choose one of 2 (cargoloader)"),
        ("# modules:", 3, "navigator", "modules: 1 navigator is not a module"),
        ("# unloading station: cargo", 8, "-2 7", "areas[4].script is 7; it must be the number of a script, 1 to 4"),
        ("# loading station: signal", 2, "-7", "areas[0]: -7 is not a valid delay"),
        ("# scripts", 3, "16", "scripts[0]: 16 is not a valid command"),
        ("# starts", 2, "0.25 0.25 0.0", "starts[0] is in an obstacle"),
        ("# variances", 6, "", "noise.obstacle: the file ends before this value"),
    ] {
        let (text, line) = changed(WORLD, comment, further, to);
        let error = original::world("w", &text).unwrap_err().to_string();
        let begin = |line: usize| format!("w: line {line}: {message}");
        // The error contains a line number of the changed entry, which is at most nine lines before the changed value.
        // For an incomplete file, the error contains the line number of the last value.
        let near = (line.saturating_sub(9)..=line).any(|line| error.starts_with(&begin(line)));
        assert!(near, "{error}, line {line}");
    }
}

#[test]
fn periodic_times_and_further_registers_are_read() {
    let (text, _) = changed(WORLD, "# times", 2, "1 1 500 3 2000 4");
    let (text, _) = changed(&text, "# unloading station: cargo", 8, "7 0.5 1.5 -2 4");
    let (text, _) = changed(&text, "# unloading station: cargo", 4, "-1");
    let scene = original::world("w", &text).unwrap();
    let time = scene.times[0];
    assert_eq!((time.start, time.count, time.period, time.script), (500, 3, 2000, 4));
    assert_eq!(scene.areas[4].heading, None);
    assert_eq!(scene.areas[4].registers, [(2, 4.0, 4.0), (7, 0.5, 1.5)]);
}

#[test]
fn no_file_with_a_word_less_or_another_makes_a_panic() {
    for (text, read) in
        [(PROJECT, (|text| drop(project(text))) as fn(&str)), (WORLD, |text| drop(original::world("w", text)))]
    {
        for at in 0..text.lines().count() {
            for to in ["", "-1", "0", "255", "4294967296", "nan", "x", "9e9 9e9"] {
                let lines = text.lines().enumerate().map(|(i, line)| if i == at { to } else { line });
                read(&lines.collect::<Vec<_>>().join("\n"));
            }
        }
    }
}
