//! Runs a curriculum of automata several times: `curriculum FILE [RUNS [FIRST SEED]]`.

use xpuck_evolve::scenario::Scenario;
use xpuck_kernels::automaton::{Module, print};
use xpuck_kernels::cargo::{Prepared, Trials, Weights, printed, try_all, try_one};

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let file = &arguments[0];
    let number = |i: usize, default: u64| arguments.get(i).map_or(default, |word| word.parse().expect("a number"));
    let text = std::io::read_to_string(std::io::stdin()).expect("the curriculum on standard input");
    let scenario = match Scenario::parse(file, &text) {
        Ok(scenario) => scenario,
        Err(error) => return eprintln!("{error}"),
    };
    let verbose = std::env::var("VERBOSE").is_ok();
    let (mut solved, mut evaluations, mut generations) = (0, 0, 0);
    let runs = number(1, 1);
    for seed in number(2, 1)..number(2, 1) + runs {
        let report = scenario.run(seed, try_all, |step, v| {
            if verbose {
                println!(
                    "  {} {}: best {:.0} mean {:.0} momentum {:.1} evaluations {}",
                    step.name, v.step_generation, v.best, v.mean, v.momentum, v.step_evaluations
                );
            }
            true
        });
        let steps: Vec<String> =
            report.steps.iter().map(|step| format!("{}/{}", step.generations, step.evaluations)).collect();
        // Fresh random numbers tell whether it was luck.
        let world = Prepared::new(printed()).expect("the printed world");
        let weights = Weights { scripts: [0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0], ..Weights::default() };
        let trials = Trials {
            world: &world,
            weights: &weights,
            starts: 3,
            repeats: 20,
            time: 400_000,
            seed: 999,
            checkpoints: &[],
        };
        let last = report.steps.last().expect("a step");
        let tried = try_one(&last.controller, &trials);
        let scores: Vec<f64> = tried.scores.iter().flatten().copied().collect();
        let mean = scores.iter().sum::<f64>() / scores.len() as f64;
        println!(
            "seed {seed}: {} {} = {}/{} best {:.0}; fresh: {mean:.2} deliveries, fewest {}",
            if report.solved { "solved" } else { "NOT" },
            steps.join(", "),
            report.generations(),
            report.evaluations(),
            last.best,
            tried.scripts[3]
        );
        if std::env::var("SHOW").is_ok() {
            for (module, automaton) in Module::ARBITRATED.iter().zip(&last.controller.0) {
                if let Some(automaton) = automaton {
                    println!("{}\n{}", module.name(), print(automaton));
                }
            }
        }
        solved += u32::from(report.solved);
        evaluations += report.evaluations();
        generations += report.generations();
    }
    println!(
        "{file}: {solved} of {runs} solved, mean {} generations, {} evaluations",
        f64::from(generations) / runs as f64,
        evaluations / runs
    );
}
