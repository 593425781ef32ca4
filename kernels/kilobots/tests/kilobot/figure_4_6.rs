//! Fitness of the thesis's best tree, and of a tree that only drives forward, in 200 new worlds (thesis 4.4 and
//! Figure 4.6).

use xpuck_kernels::tree::{RegisterMap, Tree};
use xpuck_kilobots::{Foraging, Job, Motors, Program, fitness, run};

const FIGURE_4_6: &str = include_str!("../../../../docs/kilobots/figure-4-6.bt");
/// Number of starts in the measurement of the thesis.
const STARTS: u32 = 200;
/// Mean fitness that the thesis reports.
const THESIS: f32 = 0.075;

/// Returns the mean fitness of Figure 4.6's tree, and of a tree that only drives forward.
fn measured(foraging: &Foraging) -> [f32; 2] {
    [FIGURE_4_6, "mf"].map(|text| {
        let tree = Tree::parse_with(text, RegisterMap::Kilobot, false).unwrap();
        let program = Program::compile(&tree).unwrap();
        let jobs: Vec<Job<'_>> = (0..STARTS).map(|world| Job { program: &program, seed: 46, world }).collect();
        fitness(foraging, &program, &run(foraging, &jobs))
    })
}

/// The measured fitness is 0.062 with a standard error of 0.001. This is a sixth less than in the thesis. In the text
/// of the thesis, motor nodes run before they succeed. In the original program, motor nodes succeed at once. The
/// fitness in the thesis is between the measured values for these two rules.
#[test]
fn figure_4_6_fitness_is_near_thesis() {
    let [evolved, forward] = measured(&Foraging::thesis(25));
    println!("figure 4.6: {evolved:.4}, forward: {forward:.4}");
    assert!((0.058..0.066).contains(&evolved), "{evolved}");
    assert!((0.015..0.022).contains(&forward), "{forward}: every other update the motors are off");
    let mut at_once = Foraging::thesis(25);
    at_once.robot.motors = Motors::SucceedAtOnce;
    let [upper, faster] = measured(&at_once);
    println!("motors that succeed at once: figure 4.6: {upper:.4}, forward: {faster:.4}");
    assert!(evolved < THESIS && THESIS < upper, "{evolved} {upper}");
}

/// Figure 4.6's tree reads values from messages, but its behaviour depends only on light.
#[test]
fn without_messages_figure_4_6_forages_as_well() {
    let mut deaf = Foraging::thesis(25);
    deaf.robot.heard = 0.0;
    let ([evolved, _], [alone, _]) = (measured(&Foraging::thesis(25)), measured(&deaf));
    assert!((evolved - alone).abs() < 0.004, "{evolved} {alone}");
}
