//! Test that evolution produces trees that drive to a light. Trees can use the light sensor only because the primitive
//! set contains its register.

use std::collections::BTreeSet;
use xpuck_evolve::{Algorithm, Island, PrimitiveSet, Settings};
use xpuck_kernels::engine::{Evaluator, Job, Simd, Team};
use xpuck_kernels::math::vec2;
use xpuck_kernels::tree::{Program, Tree};
use xpuck_kernels::world::senses::light::{Light, Lighting};
use xpuck_kernels::world::{Sensing, Task, WorldSpec};

const SET: &str = include_str!("../../../docs/primitive-sets/light.toml");
/// Length of a trial (controller updates).
const UPDATES: u32 = 300;

/// Returns a world with an aggregation task and the given lamps. Without a lamp, no sensor of a robot indicates a
/// common direction.
fn world(lights: Vec<Light>) -> WorldSpec {
    let spec = WorldSpec {
        discs: Vec::new(),
        task: Task::Aggregation { range: 0.2 },
        lighting: Lighting { room: 0.05, lights },
        ..WorldSpec::benchmark(6)
    };
    spec.check().unwrap();
    spec
}

fn lit() -> WorldSpec {
    world(vec![Light { at: vec2(0.7, 0.45), height: 0.1, brightness: 0.1 }])
}

/// Returns the mean fitness of a tree in 48 worlds that evolution did not use.
fn measured(tree: &Tree, spec: &WorldSpec) -> f32 {
    let mut evaluator = Evaluator::default();
    evaluator.prepare(&[tree]);
    let job = |world| Job { spec, start: world as usize, team: Team::all(0), seed: 77, world, updates: 2 * UPDATES };
    let jobs: Vec<Job<'_>> = (0..48).map(job).collect();
    evaluator.fitness(&Simd::default(), &jobs).iter().sum::<f32>() / 48.0
}

#[test]
fn evolution_binds_the_light_and_seeks_it() {
    let set = PrimitiveSet::parse("light.toml", SET).unwrap();
    let settings = Settings { population: 48, ..Settings::for_algorithm(Algorithm::PooledSamples) };
    let mut island = Island::new(settings, set, 1, 4);
    let (spec, engine, mut evaluator) = (lit(), Simd::default(), Evaluator::default());
    for generation in 0..20 {
        let trees: Vec<&Tree> = island.population().iter().map(|individual| &individual.tree).collect();
        evaluator.prepare(&trees);
        let trials = island.trials();
        let job = |t: &xpuck_evolve::Trial| {
            let (team, updates) = (Team::all(t.individual), t.last_update(UPDATES));
            Job { spec: &spec, start: t.stratum, team, seed: 4, world: t.world, updates }
        };
        let jobs: Vec<Job<'_>> = trials.iter().map(job).collect();
        let fitness = evaluator.fitness(&engine, &jobs);
        island.record(&fitness);
        if generation < 19 {
            island.advance(&[]);
        }
    }
    let champion = island.champion().tree.clone();
    let program = Program::compile(&champion).unwrap();
    assert!(Sensing::from_programs([&program]).light, "the fittest does not read the light:\n{champion}");
    let (bright, dark) = (measured(&champion, &lit()), measured(&champion, &world(Vec::new())));
    assert!(bright > dark + 0.15, "{bright} under the lamp and {dark} in the dark:\n{champion}");
}

#[test]
fn only_sets_that_list_the_light_allow_it() {
    let tree = Tree::parse("mulav v_goal v_zero 4 v_light\n").unwrap();
    let allowed: BTreeSet<bool> =
        [PrimitiveSet::in_swarm(), PrimitiveSet::transferability()].iter().map(|set| set.allows(&tree)).collect();
    assert_eq!(allowed, BTreeSet::from([false]));
    assert!(PrimitiveSet::parse("light.toml", SET).unwrap().allows(&tree));
}
