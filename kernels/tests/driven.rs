//! Checks that worlds with an external controller behave as worlds of the reference engine.

use xpuck_kernels::engine::{ActionKind, BatchSimulation};
use xpuck_kernels::math::{Vec2, vec2};
use xpuck_kernels::tree::Senses;
use xpuck_kernels::world::{Sensing, Task, World, WorldSpec};

/// Cells of v_prox, v_up, v_attr, v_red, v_green, v_blue and s_n in the full register map.
const CELLS: [usize; 13] = [4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16];

fn cells_of(s: &Senses) -> [f32; 13] {
    let [red, green, blue] = s.colours;
    [
        s.prox.x,
        s.prox.y,
        s.up.x,
        s.up.y,
        s.attr.x,
        s.attr.y,
        red.x,
        red.y,
        green.x,
        green.y,
        blue.x,
        blue.y,
        s.neighbours,
    ]
}

/// Returns the goal of a stateless controller, which drives towards blue and neighbours, and away from obstacles. `s`
/// contains the values of the cells in [`CELLS`].
fn goal(s: &[f32]) -> Vec2 {
    vec2(0.4 + s[10] + 0.3 * s[4] - 2.0 * s[0] - 0.2 * s[2], s[11] + 0.3 * s[5] - 2.0 * s[1])
}

fn specs() -> Vec<WorldSpec> {
    let dispersed = WorldSpec { task: Task::Dispersion, discs: Vec::new(), ..WorldSpec::benchmark(30) };
    let covered = WorldSpec { task: Task::Coverage { cell: 0.1 }, ..WorldSpec::benchmark(4) };
    vec![WorldSpec::benchmark(9), dispersed, covered]
}

#[test]
fn goals_of_the_same_senses_give_the_same_digits() {
    const UPDATES: u32 = 120;
    // The 19 worlds fill one block of 16 and part of a second block. Their numbers do not start at 0.
    let numbers: Vec<u32> = (5..24).collect();
    for spec in specs() {
        let mut driven = BatchSimulation::new(&spec, Sensing::ALL, 7, &numbers);
        let mut worlds: Vec<World> = numbers.iter().map(|n| World::new(&spec, *n as usize, 7, *n)).collect();
        let mut senses = vec![0.0; numbers.len() * spec.robots * CELLS.len()];
        let mut fitness = vec![0.0; numbers.len()];
        for update in 0..UPDATES {
            driven.read(&CELLS, &mut senses);
            let actions: Vec<f32> = senses.chunks(CELLS.len()).map(goal).flat_map(|g| [g.x, g.y]).collect();
            for (world, senses) in worlds.iter_mut().zip(senses.chunks(CELLS.len() * spec.robots)) {
                world.update_with(|i, s, _| {
                    assert_eq!(cells_of(s), senses[CELLS.len() * i..][..CELLS.len()], "robot {i} at update {update}");
                    goal(&cells_of(s))
                });
            }
            driven.update(&actions, ActionKind::Goal);
        }
        driven.fitness(&mut fitness);
        for (i, (world, fitness)) in worlds.iter().zip(&fitness).enumerate() {
            assert_eq!(world.fitness(), *fitness, "world {i} of {}", spec.task.name());
            let poses = (0..driven.bodies()).map(|body| driven.pose(i, body));
            assert!(poses.eq(world.bodies.iter().map(|body| body.pose)));
        }
        assert_eq!(driven.updates(), UPDATES);
    }
}

#[test]
fn wheel_speeds_are_clamped_and_nan_is_zero() {
    let spec = WorldSpec::benchmark(2);
    let way = |actions: [f32; 4]| {
        let mut driven = BatchSimulation::new(&spec, Sensing::NONE, 3, &[1]);
        let from = driven.pose(0, 0);
        driven.update(&actions, ActionKind::Speeds);
        let to = driven.pose(0, 0);
        (to.at - from.at).length()
    };
    assert_eq!(way([f32::NAN, f32::INFINITY, 0.0, 0.0]), way([0.0; 4]));
    assert_eq!(way([9.0, 9.0, 0.0, 0.0]), way([0.13, 0.13, 0.0, 0.0]));
    assert!(way([0.13, 0.13, 0.0, 0.0]) > 0.005);
}

#[test]
fn earned_rewards_sum_to_fitness() {
    let updates = 50;
    for spec in specs() {
        let mut driven = BatchSimulation::new(&spec, Sensing::NONE, 2, &[0, 1]);
        let actions = vec![0.8; 4 * spec.robots];
        let (mut fitness, mut before, mut sum) = ([0.0; 2], 0.0, 0.0f32);
        for update in 1..=updates {
            driven.update(&actions, ActionKind::Goal);
            driven.fitness(&mut fitness);
            let earned = spec.task.earned(fitness[0], update as f32 / updates as f32);
            sum += earned - before;
            before = earned;
        }
        assert!((sum - fitness[0]).abs() < 1e-5, "{}: {sum} {}", spec.task.name(), fitness[0]);
    }
}
