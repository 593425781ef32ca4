//! Curriculum files: those of the documentation are read, mistakes are named with file, line and key, and runs are the same
//! for a seed.

use xpuck_evolve::automata::MUTATIONS;
use xpuck_evolve::scenario::Scenario;
use xpuck_kernels::cargo::{printed, try_all, try_one};

const SEQUENTIAL: &str = include_str!("../../../docs/curricula/cargo-sequential-printed.toml");
const CREATIVE: &str = include_str!("../../../docs/curricula/cargo-creative.toml");

fn error(text: &str) -> String {
    Scenario::parse("c.toml", text).unwrap_err().to_string()
}

#[test]
fn the_printed_project_is_read() {
    let scenario = Scenario::parse("sequential", SEQUENTIAL).unwrap();
    let of_steps =
        |value: fn(&xpuck_evolve::scenario::Step) -> usize| scenario.steps.iter().map(value).collect::<Vec<_>>();
    assert_eq!(of_steps(|step| step.settings.population), [100, 200, 300, 300, 300, 200, 200]);
    assert_eq!(of_steps(|step| step.repeats as usize), [1, 4, 4, 4, 2, 1, 2]);
    assert_eq!(of_steps(|step| step.time as usize / 1000), [150, 150, 150, 150, 200, 250, 400]);
    assert_eq!(of_steps(|step| step.bounds.iter().map(|b| b.max_states).max().unwrap()), [4, 5, 5, 6, 6, 8, 10]);
    assert_eq!(of_steps(|step| step.bounds[0].transitions[1]), [5, 5, 5, 5, 5, 7, 8]);
    assert_eq!(scenario.order, [0, 1, 2, 3, 4, 5, 6]);
    for step in &scenario.steps {
        assert_eq!((step.settings.crossover, step.settings.mutation, step.settings.replace), (0.3, 0.7, 1.0));
        assert_eq!((step.settings.reinitialise_below, step.settings.reinitialise, step.settings.phi), (0.5, 0.7, 0.2));
        assert_eq!((step.size, step.weights.offset, step.weights.obstacle_time), ([-10.0, -5.0], 300_000.0, -1.0));
        assert!((step.rates.mutations.iter().sum::<f32>() - 1.0).abs() < 1e-6 && MUTATIONS.len() == 8);
    }
    // The file's digits of headings are the document's.
    let world = scenario.steps[6].world.scene();
    let mut rounded = printed();
    for (area, ours) in rounded.areas.iter_mut().zip(&world.areas) {
        let ([printed, _], [written, _]) = (area.heading.unwrap(), ours.heading.unwrap());
        assert!((printed - written).abs() < 1e-6);
        area.heading = ours.heading;
    }
    assert_eq!(*world, rounded);
}

#[test]
fn mistakes_are_named_with_line_and_key() {
    let line_of = |text: &str, part: &str| 1 + text.lines().position(|line| line.contains(part)).unwrap();
    let cycle = CREATIVE.replacen("world = \"line\"", "after = [\"deliver\"]\nworld = \"line\"", 1);
    let message = error(&cycle);
    assert!(
        message.starts_with(&format!(
            "c.toml: line {}: step \"follow\": after: ",
            line_of(&cycle, "after = [\"deliver\"]")
        )),
        "{message}"
    );
    assert!(message.contains("wait for each other") && message.contains("leave one"), "{message}");

    let lonely = CREATIVE.replacen("[[steps]]", "[[steps]]\nname = \"idle\"\nworld = \"line\"\npopulation = 10\nend = \"gennum > 1\"\nstarts = 1\ntime = 10\nweights = {}\n[[steps.automata]]\nmodule = \"lnflwer\"\ntriggers = [\"SENSORS_LINE_ENTER\"]\nstates = 2\n\n[[steps]]", 1);
    let message = error(&lonely);
    assert!(message.contains("step \"idle\": after: ") && message.contains("cannot be reached"), "{message}");

    let never = CREATIVE.replacen("best-fitness >= 400000 and learning-momentum < 50", "gennum > 700", 1);
    let message = error(&never);
    assert!(
        message.starts_with(&format!(
            "c.toml: line {}: step \"load\": end: it can never hold",
            line_of(&never, "gennum > 700")
        )),
        "{message}"
    );

    let dark = CREATIVE.replacen(
        "{ x = 0.62, y = 0.95, z = 1, intensity = 1 }",
        "{ x = 2.5, y = 0.95, z = 1, intensity = 1 }",
        1,
    );
    let message = error(&dark);
    assert!(
        message.starts_with(&format!(
            "c.toml: line {}: worlds.stations: lamps[0] lights no place",
            line_of(&dark, "[worlds.stations]")
        )),
        "{message}"
    );

    let message = error(&CREATIVE.replacen("population = 100", "population = 1", 1));
    assert!(message.contains("step \"avoid\": population: 1 is out of range; 2 to 4096"), "{message}");
    assert!(error(&CREATIVE.replacen("world = \"lit\"", "world = \"lot\"", 1)).contains("did you mean `lit`?"));
    assert!(
        error(&CREATIVE.replace("explore = \"hand-made\", avoidance", "explore = \"avoid\", avoidance"))
            .contains("explore does not evolve")
    );
    assert!(error(&CREATIVE.replacen("population", "populatoin", 1)).contains("populatoin"));
}

#[test]
fn a_step_is_learnt_and_the_same_for_a_seed() {
    let scenario = Scenario::parse("creative", CREATIVE).unwrap();
    // Two steps are enough, one thread against all.
    let until_follow = |evaluate: fn(&[_], &xpuck_kernels::cargo::Trials) -> Vec<_>| {
        let report = scenario.run(5, evaluate, |step, _| step.name != "load");
        assert!(report.steps[0].done && report.steps[1].done && !report.solved);
        assert!(report.steps.iter().all(|step| step.evaluations > 0));
        assert!(report.steps[1].statistics.0.iter().any(|operator| operator.better > 0));
        report.steps.iter().map(|step| (step.generations, step.evaluations, step.controller.text())).collect::<Vec<_>>()
    };
    let one_thread = |controllers: &[_], trials: &xpuck_kernels::cargo::Trials| {
        controllers.iter().map(|controller| try_one(controller, trials)).collect()
    };
    assert_eq!(until_follow(one_thread), until_follow(try_all));
}
