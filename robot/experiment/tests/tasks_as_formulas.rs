//! The built-in tasks as formulas: the files of docs/worlds/missions with the ending `-formula` give the same fitness as the
//! built-in tasks.

use std::path::Path;
use xpuck_experiment::world_file;
use xpuck_kernels::engine::{Engine, Job, Outcome, Reference, Simd, Team};
use xpuck_kernels::tree::{Memory, Program, Tree};
use xpuck_kernels::world::{World, WorldSpec};

const TREES: [&str; 2] =
    [include_str!("../../../docs/trees/explore.bt"), include_str!("../../../docs/trees/806768.bt")];

fn programs() -> Vec<Program> {
    TREES.iter().map(|text| Program::compile(&Tree::parse(text).unwrap()).unwrap()).collect()
}

fn world(file: &str) -> WorldSpec {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/worlds");
    world_file::read(&folder.join(format!("{file}.toml"))).unwrap()
}

/// Returns the outcomes of twelve runs of 60 s, half of them with each tree.
fn outcomes(engine: &dyn Engine, spec: &WorldSpec) -> Vec<Outcome> {
    let job = |world: u32| Job {
        spec,
        start: (world / 2) as usize,
        team: Team::all(world as usize % 2),
        seed: 11,
        world,
        updates: 600,
    };
    engine.run(&programs(), &(0..12).map(job).collect::<Vec<_>>())
}

#[test]
fn built_in_tasks_and_formulas_have_the_same_fitness() {
    for (task, tolerance) in [
        ("aggregation", 0.0),
        // The task divides the distance of each robot by the largest one and adds in single precision. The formula adds in
        // double precision, and divides the mean.
        ("dispersion", 1e-5),
        ("coverage", 0.0),
        ("foraging", 0.0),
        ("transport", 0.0),
        ("transport-once", 0.0),
        ("transport-position", 0.0),
    ] {
        let (built_in, formula) = (world(task), world(&format!("missions/{task}-formula")));
        let engines: [&dyn Engine; 2] = [&Reference::default(), &Simd::default()];
        for engine in engines {
            let (expected, found) = (outcomes(engine, &built_in), outcomes(engine, &formula));
            let name = engine.name();
            assert!(expected.iter().any(|outcome| outcome.fitness > 0.0), "{task}, {name}: nothing is scored");
            for (run, (a, b)) in expected.iter().zip(&found).enumerate() {
                assert_eq!(a.hash, b.hash, "{task}, {name}, run {run}: the poses differ");
                let differs = (a.fitness - b.fitness).abs() > tolerance * a.fitness.abs();
                assert!(!differs, "{task}, {name}, run {run}: {} instead of {}", b.fitness, a.fitness);
            }
        }
    }
}

#[test]
fn formula_worlds_relocate_the_disc_only_on_request() {
    let program = &programs()[1];
    let relocations = |file: &str| {
        let mut world = World::new(&world(file), 1, 4, 1);
        let mut memories = vec![Memory::new(program); 9];
        (0..1200).for_each(|_| world.update(&[program], &mut memories));
        world.relocations()
    };
    let (task, formula) = (relocations("transport"), relocations("missions/transport-formula"));
    assert!(task > 0 && formula == task, "{formula} instead of {task} relocations");
    assert_eq!(relocations("missions/transport-once-formula"), 0);
}

#[test]
fn wrong_discs_of_formulas_are_rejected() {
    let error = |score: &str, lines: &str| {
        let text = format!(
            "robots = 1\n[task]\nkind = \"objective\"\nworst = 0\nbest = 1\nscore = \"{score}\"\n{lines}\n[[start]]\n\
             pose = [{{ at_m = [0.5, 0.5] }}]\n"
        );
        world_file::parse("w", &text).unwrap_err().to_string()
    };
    let disc = "[[disc]]\nx_m = [0, 0]\ny_m = [0, 0]";
    let wall = "[[wall]]\nfrom_m = [0.15, 0]\nto_m = [0.15, 0.5]";
    for (score, lines, expected) in [
        ("last(disc_x(1))", "", "task.score, column 13: the world has no disc; add a [[disc]]"),
        ("last(disc_x(2))", disc, "task.score, column 13: there is no disc 2; K is a whole number, 1 to 1"),
        ("last(N)", "relocate_disc = true", "the task needs disc 1, but the world has 0; add a disc"),
        (
            "last(N)",
            &format!("relocate_disc = true\n{disc}\n{wall}"),
            "where disc 1 is put back; move it or choose relocate_disc = false",
        ),
    ] {
        let found = error(score, lines);
        assert!(found.contains(expected), "{score}: {found}");
    }
}
