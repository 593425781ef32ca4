//! Tests of curriculum files. The files of the documentation are parsed, errors contain file, line and key, and runs
//! are reproducible for a seed.

use std::collections::BTreeMap;
use xpuck_automata::cargo::{ControllerAutomata, Trials, evaluate, evaluate_all, published_scene};
use xpuck_evolve::curriculum::CROSSOVER;
use xpuck_hub_automata::automata::MUTATIONS;
use xpuck_hub_automata::scenario::{Ending, Generation, Population, Request, Scenario};

const SEQUENTIAL: &str = include_str!("../../../docs/curricula/cargo-sequential-printed.toml");
const CREATIVE: &str = include_str!("../../../docs/curricula/cargo-creative.toml");

fn error(text: &str) -> String {
    Scenario::parse("c.toml", text).unwrap_err().to_string()
}

#[test]
fn printed_project_is_parsed() {
    let scenario = Scenario::parse("sequential", SEQUENTIAL).unwrap();
    let of_steps =
        |value: fn(&xpuck_hub_automata::scenario::Step) -> usize| scenario.steps.iter().map(value).collect::<Vec<_>>();
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
    // Headings in the file have the same number of digits as in Petrovic's files. The headings of the published scene
    // are therefore rounded before the comparison.
    let world = scenario.steps[6].world.scene();
    let mut rounded = published_scene();
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
    assert!(message.contains("wait for each other") && message.contains("remove one"), "{message}");

    let lonely = CREATIVE.replacen("[[steps]]", "[[steps]]\nname = \"idle\"\nworld = \"line\"\npopulation = 10\nend = \"gennum > 1\"\nstarts = 1\ntime = 10\nweights = {}\n[[steps.automata]]\nmodule = \"lnflwer\"\ntriggers = [\"SENSORS_LINE_ENTER\"]\nstates = 2\n\n[[steps]]", 1);
    let message = error(&lonely);
    assert!(
        message.contains("step \"idle\": after: ") && message.contains("does not lead to the last step"),
        "{message}"
    );

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
            "c.toml: line {}: worlds.stations: lamps[0] illuminates no place",
            line_of(&dark, "[worlds.stations]")
        )),
        "{message}"
    );

    let message = error(&CREATIVE.replacen("population = 100", "population = 1", 1));
    assert!(message.contains("step \"avoid\": population: 1 is out of range; must be 2 to 4096"), "{message}");
    assert!(error(&CREATIVE.replacen("world = \"lit\"", "world = \"lot\"", 1)).contains("did you mean `lit`?"));
    assert!(
        error(&CREATIVE.replace("explore = \"hand-made\", avoidance", "explore = \"avoid\", avoidance"))
            .contains("explore does not evolve")
    );
    assert!(error(&CREATIVE.replacen("population", "populatoin", 1)).contains("populatoin"));
}

#[test]
fn steps_are_solved_and_reproducible_for_seed() {
    let scenario = Scenario::parse("creative", CREATIVE).unwrap();
    // The run is stopped after two completed steps. They are enough to compare a run on one thread with a run on all
    // threads.
    let until_follow = |evaluate: fn(&[_], &Trials) -> Vec<_>| {
        let see = |seen: &Generation| if seen.step.name == "load" { Request::Stop } else { Request::GoOn };
        let report = scenario.run(5, &BTreeMap::new(), evaluate, see);
        let endings: Vec<Ending> = report.steps.iter().map(|step| step.ending).collect();
        assert_eq!(endings, [Ending::FormulaHeld, Ending::FormulaHeld, Ending::Stopped]);
        assert!(!report.solved);
        assert!(report.steps.iter().all(|step| step.evaluations > 0));
        assert!(report.steps[1].statistics.iter().any(|(_, operator)| operator.better > 0));
        let crossed = |i: usize| report.steps[i].statistics.get(CROSSOVER).unwrap().applied;
        assert!(
            crossed(1) > 0
                && report.statistics().get(CROSSOVER).unwrap().applied == crossed(0) + crossed(1) + crossed(2)
        );
        report.steps.iter().map(|step| (step.generations, step.evaluations, step.controller.text())).collect::<Vec<_>>()
    };
    let one_thread = |controllers: &[_], trials: &Trials| {
        controllers.iter().map(|controller| evaluate(controller, trials)).collect()
    };
    assert_eq!(until_follow(one_thread), until_follow(evaluate_all));
}

/// Curriculum of three short steps.
const SHORT: &str = r#"
name = "short"
[worlds.room]
starts = [{ x = 0.5, y = 0.5, heading = 0 }, { x = 0.3, y = 0.5, heading = 1 }]
lines = [{ width = 0.05, value = 30, points = [[0.4, 0.4], [0.7, 0.8]] }]
[[steps]]
name = "avoid"
world = "room"
population = 12
end = "gennum-thisstep >= 4"
starts = 2
time = 20
weights = {}
[[steps.automata]]
module = "avoidance"
triggers = ["SENSORS_BUMPERS_PRESSED", "SENSORS_BUMPERS_RELEASED", "AVOIDANCE_START"]
states = 4
[[steps]]
name = "follow"
world = "room"
population = 12
end = "gennum-thisstep >= 4"
starts = 2
time = 20
fixed = { avoidance = "avoid" }
weights = { line-time = 5, changes = 100 }
[[steps.automata]]
module = "lnflwer"
triggers = ["SENSORS_LINE_ENTER", "SENSORS_LINE_LEAVE"]
states = 5
[[steps]]
name = "both"
after = ["avoid", "follow"]
world = "room"
population = 12
end = "gennum-thisstep >= 4"
starts = 2
time = 20
weights = { line-time = 5 }
[[steps.automata]]
module = "lnflwer"
triggers = ["SENSORS_LINE_ENTER", "SENSORS_LINE_LEAVE"]
states = 5
[[steps.automata]]
module = "avoidance"
triggers = ["SENSORS_BUMPERS_PRESSED", "SENSORS_BUMPERS_RELEASED", "AVOIDANCE_START"]
states = 4
[[steps.blend]]
module = "lnflwer"
from = "follow"
row = [0.5, 0.5, 0.3, 2]
[[steps.blend]]
module = "avoidance"
from = "avoid"
row = [0.5, 0.5, 0.3, 2]
"#;

/// Returns the results of all steps of a run, and the final populations of the steps as text. `begin` contains the
/// populations of the steps that are already completed.
fn run_results(begin: &BTreeMap<usize, Population>) -> (Vec<String>, Vec<String>) {
    let scenario = Scenario::parse("short", SHORT).unwrap();
    let mut populations = vec![String::new(); 3];
    let report = scenario.run(3, begin, evaluate_all, |seen| {
        populations[seen.index] = Population::new(seen).text();
        Request::GoOn
    });
    assert!(report.solved);
    let steps = report.steps.iter().map(|step| {
        format!("{} {} {} {} {}", step.name, step.generations, step.evaluations, step.best, step.controller.text())
    });
    (steps.collect(), populations)
}

#[test]
fn resumed_run_equals_uninterrupted_run() {
    let scenario = Scenario::parse("short", SHORT).unwrap();
    let (whole, populations) = run_results(&BTreeMap::new());
    for done in 1..=2 {
        let read = |i: usize| (i, scenario.steps[i].population("saved", &populations[i]).unwrap());
        let (rest, later) = run_results(&(0..done).map(read).collect());
        assert_eq!(rest, whole);
        assert_eq!(later[done..], populations[done..]);
    }
    let message =
        scenario.steps[2].population::<ControllerAutomata>("saved.txt", &populations[0]).unwrap_err().to_string();
    assert!(
        message.starts_with("saved.txt: line 1: population: its automata are of avoidance, but step \"both\""),
        "{message}"
    );
}

#[test]
fn watcher_can_end_step_or_run() {
    let scenario = Scenario::parse("short", SHORT).unwrap();
    let endings = |ask: fn(&Generation) -> Request| {
        let report = scenario.run(3, &BTreeMap::new(), evaluate_all, ask);
        (report.steps.iter().map(|step| (step.generations, step.ending)).collect::<Vec<_>>(), report.solved)
    };
    let skips = |seen: &Generation| match (seen.index, seen.variables.step_generation) {
        (0, 2) => Request::Skip,
        (1, 1) => {
            assert!(seen.members.is_sorted_by(|a, b| a.fitness >= b.fitness));
            Request::GoOn
        }
        (2, 3) => Request::Stop,
        _ => Request::GoOn,
    };
    assert_eq!(endings(skips), (vec![(2, Ending::Skipped), (4, Ending::FormulaHeld), (3, Ending::Stopped)], false));
    // A step whose end formula holds is completed, regardless of the observer's request. A stop request then ends the
    // run after this step.
    let stops = |seen: &Generation| if seen.variables.step_generation == 4 { Request::Stop } else { Request::GoOn };
    assert_eq!(endings(stops), (vec![(4, Ending::FormulaHeld)], false));
}

/// Returns [`SHORT`] with only its last step, whose sources are saved populations in place of steps.
fn of_saved() -> String {
    let last = SHORT.rfind("[[steps]]").unwrap();
    let step = SHORT[last..].replace("after = [\"avoid\", \"follow\"]", "fixed = { explore = \"hand-made\" }");
    let step = step.replace("from = \"follow\"", "from = \"population:f\"");
    let step = step.replace("from = \"avoid\"", "from = \"population:a\"");
    format!(
        "{}[populations]\na = \"avoid.txt\"\nf = \"follow.txt\"\n{step}",
        &SHORT[..SHORT.find("[[steps]]").unwrap()]
    )
}

#[test]
fn curriculum_starts_from_saved_populations() {
    let (_, populations) = run_results(&BTreeMap::new());
    let read = |path: &str| match path {
        "avoid.txt" => Ok(populations[0].clone()),
        "follow.txt" => Ok(populations[1].clone()),
        _ => Err(format!("{path} is not there")),
    };
    let scenario = Scenario::parse_with("s.toml", &of_saved(), read).unwrap();
    assert_eq!(scenario.steps[0].saved, [1, 0]);
    let mut first = vec![];
    scenario.run(
        3,
        &BTreeMap::new(),
        |controllers, trials| {
            if first.is_empty() {
                first = controllers.to_vec();
            }
            evaluate_all(controllers, trials)
        },
        |_| Request::Stop,
    );
    // At least one controller of the first generation contains unchanged copies of two automata. Each automaton is
    // copied from the best individual of one of the saved populations.
    let best = |i: usize| scenario.populations[i].individuals[0].genome.clone();
    assert!(first.iter().any(|made| made.0[1] == best(1).0[1] && made.0[2] == best(0).0[2]));

    let error = |from: &str, to: &str| {
        Scenario::parse_with("s.toml", &of_saved().replace(from, to), read).unwrap_err().to_string()
    };
    let line_of = |part: &str| 1 + of_saved().lines().position(|line| line.starts_with(part)).unwrap();
    assert_eq!(
        error("follow.txt", "none.txt"),
        format!("s.toml: line {}: populations.f: none.txt is not there", line_of("f = "))
    );
    let message = error("population:f", "population:a");
    let begin = format!("s.toml: line {}: step \"both\": blend: ", line_of("[[steps.blend]]"));
    assert!(message.starts_with(&begin) && message.contains("are for avoidance, not for lnflwer"), "{message}");
    assert!(error("population:f", "population:g").contains("unknown population \"g\""));
    assert!(error("explore = \"hand-made\"", "explore = \"population:a\"").contains("not for explore"));
    let message = Scenario::parse("s.toml", &of_saved()).unwrap_err().to_string();
    assert!(message.contains("populations.a: \"avoid.txt\" cannot be read here"), "{message}");
}

#[test]
fn individuals_that_are_far_behind_the_best_are_given_up() {
    let text = &SHORT.replacen("weights = {}", "weights = { distance = 100000 }", 1);
    let generous = text.replacen("time = 20", "time = 20\nearly-stop = { after = 5, every = 2.5, share = 0 }", 1);
    let strict = text.replacen("time = 20", "time = 20\nearly-stop = { after = 5, every = 2.5, share = 1 }", 1);
    let run = |text: &str| {
        let scenario = Scenario::parse("short", text).unwrap();
        let (mut least, mut behind) = (vec![], 0);
        let report = scenario.run(
            3,
            &BTreeMap::new(),
            |controllers, trials| {
                least.push(trials.checkpoints.to_vec());
                let (all, whole) = (
                    evaluate_all(controllers, trials),
                    evaluate_all(controllers, &Trials { checkpoints: &[], ..*trials }),
                );
                behind += all.iter().zip(&whole).filter(|(a, b)| a.scores != b.scores).count();
                all
            },
            |seen| if seen.variables.step_generation == 4 { Request::Stop } else { Request::GoOn },
        );
        (report.steps[0].controller.text(), report.steps[0].best, least, behind)
    };
    let (plain, kept, given_up) = (run(text), run(&generous), run(&strict));
    assert_eq!((&plain.0, plain.1), (&kept.0, kept.1));
    assert_eq!((plain.3, kept.3), (0, 0));
    assert!(given_up.3 > 0);
    assert!(plain.2.iter().all(Vec::is_empty));
    // No best individual is known in the first generation, so there are no minimum scores.
    assert!(given_up.2[0].is_empty());
    let times: Vec<u32> = given_up.2[1].iter().map(|&(time, _)| time).collect();
    assert_eq!(times, [5000, 7500, 10_000, 12_500, 15_000, 17_500]);
    // The minimum scores increase with time. They are above the offset of 300 000, because the offset of a score does
    // not count as a gain.
    assert!(given_up.2[1].is_sorted_by(|a, b| a.1 < b.1) && given_up.2[1][0].1 > 300_000.0);
    assert!(kept.2[1].iter().all(|&(_, least)| least == 300_000.0));
    assert_eq!(run(&strict), given_up);
    let error = |stop: &str| {
        let text = text.replacen("time = 20", &format!("time = 20\nearly-stop = {stop}"), 1);
        Scenario::parse("s.toml", &text).unwrap_err().to_string()
    };
    assert!(
        error("{ after = 5, every = 0, share = 0.05 }").contains("early-stop: 0 is out of range; must be 0.1 to 20")
    );
    assert!(error("{ after = 5, every = 1, share = 5 }").contains("early-stop: 5 is out of range; must be 0 to 1"));
}

#[test]
fn restart_resets_momentum() {
    let text = CREATIVE.replacen("best-fitness >= 295000 and learning-momentum < 50", "gennum >= 9", 1).replacen(
        "restart-after = 40",
        "restart-after = 4\ngain-over = \"record\"",
        1,
    );
    let scenario = Scenario::parse("c", &text).unwrap();
    let (mut momentum, mut record, mut firsts) = (0.0, 0.0f64, vec![]);
    scenario.run(3, &BTreeMap::new(), evaluate_all, |generation| {
        let v = generation.variables;
        // The first, fifth and ninth generations have a newly created population.
        (momentum, record) = match v.step_generation {
            1 | 5 | 9 => (0.9 * v.best, v.best),
            _ => (0.2 * momentum + (v.best - record).max(0.0), record.max(v.best)),
        };
        assert_eq!(v.momentum, momentum, "generation {}", v.step_generation);
        if [1, 5, 9].contains(&v.step_generation) {
            firsts.push(generation.best.text());
        }
        if v.step_generation == 9 { Request::Stop } else { Request::GoOn }
    });
    assert!(firsts.len() == 3 && firsts[0] != firsts[1] && firsts[1] != firsts[2], "other draws");
    let error = error(&CREATIVE.replacen("restart-after = 40", "restart-after = 1", 1));
    assert!(error.contains("step \"avoid\": restart-after: 1 is out of range; must be 2 to 100000"), "{error}");
    let error = self::error(&CREATIVE.replacen("population = 100", "population = \"x\"", 1));
    assert!(error.contains("expected a whole number >= 0"), "{error}");
}
