//! Mutation and inheritance of brains.

use super::choose;
use crate::brain::{Brain, PERIODS, normal};
use crate::{BodyError, Plan};
use std::collections::BTreeMap;
use xpuck_kernels::random::Draws;

/// Probability that a mutation changes a weight. `MEAN` is the mean of the added deviates.
const SHARE: f32 = 0.75;
const MEAN: f64 = 2.0;
/// Probability that a nudge changes a weight. `NUDGE_DEVIATION` is the standard deviation of the added deviates.
const NUDGE_SHARE: f32 = 0.25;
const NUDGE_DEVIATION: f64 = 0.5;
/// Probabilities with which [`vary_brain`] changes a weight, in addition to one weight that it always changes.
/// `STEP_DEVIATIONS` are the standard deviations of the added deviates.
const STEP_SHARES: [f32; 4] = [0.0, 0.1, 0.3, 0.75];
const STEP_DEVIATIONS: [f64; 4] = [0.1, 0.3, 1.0, 3.0];
/// Range from which a brain's own period is drawn, as multiples of the given period.
const OWN_PACES: [f64; 2] = [0.25, 1.5];
/// Standard deviation of the logarithm of the factor by which a mutation multiplies a period.
const PERIOD_DEVIATION: f64 = 0.2;

/// Returns a brain in which each weight has changed with probability 0.75 by an exponential deviate of mean 2. All
/// changes have the same random sign. pyro-corpus describes this mutation, but its code discards the results.
pub fn mutate_brain(brain: &Brain, draws: &mut Draws) -> Brain {
    let sign = if draws.below(2) == 0 { -1.0 } else { 1.0 };
    let weights = brain.weights.iter().map(|weight| {
        let changes = draws.unit() < SHARE;
        let size = -MEAN * libm::log(1.0 - f64::from(draws.unit()));
        if changes { weight + sign * size } else { *weight }
    });
    Brain { weights: weights.collect(), ..brain.clone() }
}

/// Returns a brain in which each weight has changed with probability 0.25 by a normal deviate of standard deviation
/// 0.5. At least one weight changes. The step is smaller than that of pyro-corpus and preserves most of the behaviour.
pub fn nudge_brain(brain: &Brain, draws: &mut Draws) -> Brain {
    let mut mutant = brain.clone();
    let Some(last) = (mutant.weights.len() as u32).checked_sub(1) else { return mutant };
    let chosen = draws.below(last + 1) as usize;
    for (number, weight) in mutant.weights.iter_mut().enumerate() {
        let (ticket, size) = (draws.unit(), normal(draws));
        if number == chosen || ticket < NUDGE_SHARE {
            *weight += NUDGE_DEVIATION * size;
        }
    }
    mutant
}

/// Returns a brain changed by a random step. Small steps tune a working brain, and large steps find alternatives.
///
/// One step in ten applies [`mutate_brain`]. All other steps change one random weight, and each further weight with
/// probability 0, 0.1, 0.3 or 0.75. Six steps in ten add a normal deviate to these weights. One step in ten flips the
/// signs, one draws new weights, and one halves the weights. Deviates and new weights have a standard deviation of 0.1
/// to 3.
pub fn vary_brain(brain: &Brain, draws: &mut Draws) -> Brain {
    let kind = draws.below(10);
    let Some(last) = (brain.weights.len() as u32).checked_sub(1) else { return brain.clone() };
    if kind == 0 {
        return mutate_brain(brain, draws);
    }
    let (share, size) = (choose(draws, &STEP_SHARES), choose(draws, &STEP_DEVIATIONS));
    let chosen = draws.below(last + 1) as usize;
    let mut mutant = brain.clone();
    for (number, weight) in mutant.weights.iter_mut().enumerate() {
        let (ticket, deviate) = (draws.unit(), size * normal(draws));
        if number == chosen || ticket < share {
            *weight = match kind {
                1 => -*weight,
                2 => deviate,
                3 => *weight / 2.0,
                _ => *weight + deviate,
            };
        }
    }
    mutant
}

/// Returns a brain with its own period, drawn log-uniformly between 0.25 and 1.5 times `period` (s). The range favours
/// short periods, because small bodies swing fast.
pub fn draw_own_period(brain: &Brain, period: f64, draws: &mut Draws) -> Brain {
    let [shortest, longest] = OWN_PACES;
    let drawn = period * shortest * libm::pow(longest / shortest, f64::from(draws.unit()));
    Brain { period: Some(drawn.clamp(*PERIODS.start(), *PERIODS.end())), ..brain.clone() }
}

/// Returns a brain whose own period, if it has one, is multiplied by a log-normal factor. The standard deviation of
/// the factor's logarithm is 0.2.
pub fn mutate_period(brain: &Brain, draws: &mut Draws) -> Brain {
    let other =
        |period: f64| (period * libm::exp(PERIOD_DEVIATION * normal(draws))).clamp(*PERIODS.start(), *PERIODS.end());
    Brain { period: brain.period.map(other), ..brain.clone() }
}

/// Returns the brain of a child. If the parent has both neurons of a synapse, the child's synapse has the parent's
/// weight. All other weights are standard normal. Sensor neurons are matched by the names of their parts, and motor
/// neurons by the names of their joints.
///
/// In pyro-corpus, children inherit no weights; they have random brains ([`Brain::random`]).
///
/// # Errors
/// Returns an error if the parent's brain does not fit the parent's body.
pub fn inherit(parent: &Plan, brain: &Brain, child: &Plan, draws: &mut Draws) -> Result<Brain, BodyError> {
    let known = NeuronMap::by_name(parent, brain, child)?;
    Ok(build_child_brain(child, &[known], brain.period, || normal(draws)))
}

/// Returns the brain of a child whose body combines its mother's body with a part of its father's body. If the mother
/// has both neurons of a synapse, the child's synapse has the mother's weight.
///
/// Synapses within the father's part, and synapses between this part and the brain part's neuron, have the father's
/// weights, so that a limb keeps its motor weights. All other weights are standard normal. `ids` maps ids in the child
/// to ids in the father.
///
/// # Errors
/// Returns an error if a parent's brain does not fit its body.
pub fn inherit_both(
    [(mother, brain), (father, fathers)]: [(&Plan, &Brain); 2],
    ids: &BTreeMap<u32, u32>,
    child: &Plan,
    draws: &mut Draws,
) -> Result<Brain, BodyError> {
    let own = NeuronMap::by_name(mother, brain, child)?;
    let grafted = NeuronMap::by_id(father, fathers, child, ids)?;
    Ok(build_child_brain(child, &[own, grafted], brain.period, || normal(draws)))
}

/// Mapping from a child's neurons to the neurons of one parent.
struct NeuronMap<'a> {
    brain: &'a Brain,
    /// For each sensor neuron of the child, the index of the parent's neuron. `motors` holds the same for motor
    /// neurons.
    sensors: Vec<Option<usize>>,
    motors: Vec<Option<usize>>,
}

impl<'a> NeuronMap<'a> {
    fn by_name(parent: &Plan, brain: &'a Brain, child: &Plan) -> Result<NeuronMap<'a>, BodyError> {
        brain.check(parent)?;
        let joint = |plan: &Plan, part: usize| plan.joint_name(part).unwrap_or_default();
        let name = |plan: &Plan, part: usize| plan.parts()[part].name.clone();
        Ok(NeuronMap {
            brain,
            sensors: matched(
                child.sensors().map(|part| Some(name(child, part))),
                parent.sensors().map(|part| name(parent, part)),
            ),
            motors: matched(
                child.motors().map(|part| Some(joint(child, part))),
                parent.motors().map(|part| joint(parent, part)),
            ),
        })
    }

    fn by_id(
        parent: &Plan,
        brain: &'a Brain,
        child: &Plan,
        ids: &BTreeMap<u32, u32>,
    ) -> Result<NeuronMap<'a>, BodyError> {
        brain.check(parent)?;
        let name = |part: usize| parent.parts()[part].name.clone();
        // Returns the parent's name for a part of the child. The child's root corresponds to the parent's root.
        let called = |part: usize| match part {
            0 => Some(name(0)),
            _ => {
                let (id, place) = child.parts()[part].name.split_once('r')?;
                Some(format!("{}r{place}", ids.get(&id.parse().ok()?)?))
            }
        };
        Ok(NeuronMap {
            brain,
            sensors: matched(child.sensors().map(called), parent.sensors().map(name)),
            motors: matched(child.motors().map(called), parent.motors().map(name)),
        })
    }
}

/// Returns the index of each name among the parent's names; `None` for a name that the parent does not have.
fn matched(names: impl Iterator<Item = Option<String>>, parents: impl Iterator<Item = String>) -> Vec<Option<usize>> {
    let known: BTreeMap<String, usize> = parents.enumerate().map(|(number, name)| (name, number)).collect();
    names.map(|name| known.get(&name?).copied()).collect()
}

/// Builds a child's brain. Each synapse has the weight from the first parent in which both neurons of the synapse
/// exist. Other weights are drawn.
fn build_child_brain(
    child: &Plan,
    parents: &[NeuronMap],
    period: Option<f64>,
    mut drawn: impl FnMut() -> f64,
) -> Brain {
    let (sensors, motors) = (child.sensors().count(), child.motors().len());
    let mut weights = Vec::with_capacity(sensors * motors);
    for sensor in 0..sensors {
        for motor in 0..motors {
            let known = parents.iter().find_map(|one| Some(one.brain.weight(one.sensors[sensor]?, one.motors[motor]?)));
            weights.push(known.unwrap_or_else(&mut drawn));
        }
    }
    Brain { sensors, motors, weights, period }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Prif;
    use xpuck_kernels::random::Stream;

    fn draws(seed: u64) -> Draws {
        Draws::new(seed, 0, 0, 0, Stream::Evolution)
    }

    fn plan(text: &str) -> Plan {
        Plan::new(&Prif::parse(text).unwrap()).unwrap()
    }

    #[test]
    fn mutation_changes_three_quarters_of_weights_by_mean_two() {
        let brain = Brain { sensors: 100, motors: 200, weights: vec![0.5; 20_000], period: None };
        let mut signs = [0; 2];
        for seed in 0..20 {
            let mutant = mutate_brain(&brain, &mut draws(seed));
            let changes: Vec<f64> = mutant.weights.iter().map(|weight| weight - 0.5).filter(|d| *d != 0.0).collect();
            assert!((changes.len() as f64 / 20_000.0 - 0.75).abs() < 0.02);
            let mean = changes.iter().sum::<f64>() / changes.len() as f64;
            assert!((mean.abs() - 2.0).abs() < 0.1, "{mean}");
            assert!(changes.iter().all(|d| d.signum() == mean.signum()));
            signs[usize::from(mean > 0.0)] += 1;
        }
        assert!(signs[0] > 0 && signs[1] > 0, "{signs:?}");
    }

    #[test]
    fn steps_are_of_many_sizes_and_change_something() {
        let brain = Brain { sensors: 10, motors: 10, weights: vec![0.5; 100], period: None };
        let (mut single, mut large) = (0, 0);
        for seed in 0..400 {
            let mutant = vary_brain(&brain, &mut draws(seed));
            let changes: Vec<f64> =
                mutant.weights.iter().map(|weight| (weight - 0.5).abs()).filter(|d| *d > 0.0).collect();
            assert!(!changes.is_empty(), "seed {seed}");
            single += u32::from(changes.len() == 1);
            large += u32::from(changes.len() > 60);
        }
        // Nine tenths of the steps use `STEP_SHARES`: a quarter of them changes one weight, and a quarter changes most
        // weights. The remaining tenth also changes most weights.
        assert!((75..=110).contains(&single) && (95..=165).contains(&large), "{single} {large}");
        let none = Brain { sensors: 1, motors: 0, weights: vec![], period: None };
        assert_eq!(vary_brain(&none, &mut draws(1)), none);
    }

    #[test]
    fn periods_begin_around_one_and_change_by_a_fifth() {
        let brain = Brain { sensors: 1, motors: 0, weights: vec![], period: None };
        assert_eq!(mutate_period(&brain, &mut draws(1)), brain);
        let begun: Vec<f64> =
            (0..500).map(|seed| draw_own_period(&brain, 0.4, &mut draws(seed)).period.unwrap()).collect();
        assert!(begun.iter().all(|period| (0.1..=0.6).contains(period)));
        let below = begun.iter().filter(|period| **period < 0.245).count();
        assert!((200..300).contains(&below), "{below}");
        let own = Brain { period: Some(0.4), ..brain };
        let ratios: Vec<f64> =
            (0..500).map(|seed| mutate_period(&own, &mut draws(seed)).period.unwrap() / 0.4).map(libm::log).collect();
        let deviation = (ratios.iter().map(|r| r * r).sum::<f64>() / 500.0).sqrt();
        assert!((deviation - PERIOD_DEVIATION).abs() < 0.02, "{deviation}");
        let least = Brain { period: Some(0.05), ..own };
        assert!((0..50).all(|seed| mutate_period(&least, &mut draws(seed)).period >= Some(0.05)));
    }

    #[test]
    fn child_inherits_weights_between_persisting_neurons() {
        let parent =
            plan("(CPG(0), [FRONT, 1, Y], {LEFT: (S(1), [LEFT, 1, X], None), TOP: (B(2), [TOP, 1, Z], None)})");
        let child =
            plan("(CPG(0), [FRONT, 1, Y], {LEFT: (B(1), [LEFT, 1, X], None), RIGHT: (S(3), [RIGHT, 1, X], None)})");
        let brain = Brain::random(&parent, &mut draws(1));
        let born = inherit(&parent, &brain, &child, &mut draws(2)).unwrap();
        assert_eq!((born.sensors, born.motors), (2, 2));
        // The brain's sensor and the joint of part 1 exist in both bodies. Part 3 and its joint are new.
        assert_eq!(born.weight(0, 0), brain.weight(0, 0));
        assert!(!brain.weights.contains(&born.weight(0, 1)) && !brain.weights.contains(&born.weight(1, 0)));
        assert_eq!(inherit(&parent, &brain, &parent, &mut draws(3)), Ok(brain.clone()));
        let other = plan("(CPG(), [FRONT, 1, Y], None)");
        assert!(inherit(&other, &brain, &parent, &mut draws(3)).is_err());
    }

    #[test]
    fn limb_from_father_keeps_its_motor_weights() {
        let mother = plan("(CPG(0), [FRONT, 1, Y], {LEFT: (S(1), [LEFT, 1, X], None)})");
        let father =
            plan("(CPG(0), [FRONT, 1, Y], {RIGHT: (S(4), [RIGHT, 2, X], None), TOP: (B(1), [TOP, 1, Z], None)})");
        let child =
            plan("(CPG(0), [FRONT, 1, Y], {LEFT: (S(1), [LEFT, 1, X], None), RIGHT: (S(7), [RIGHT, 2, X], None)})");
        let [m, f] = [(&mother, 1), (&father, 2)].map(|(plan, seed)| Brain::random(plan, &mut draws(seed)));
        let born = inherit_both([(&mother, &m), (&father, &f)], &[(7, 4)].into(), &child, &mut draws(3)).unwrap();
        // The sensors are the brain, part 1, and both parts of instruction 7. The motors are part 1 and both parts of
        // instruction 7.
        assert_eq!((born.sensors, born.motors), (4, 3));
        assert_eq!([born.weight(0, 0), born.weight(1, 0)], [m.weight(0, 0), m.weight(1, 0)]);
        for motor in [1, 2] {
            assert_eq!(born.weight(0, motor), f.weight(0, motor - 1), "the brain drives the father's limb as it did");
            assert_eq!(born.weight(2, motor), f.weight(1, motor - 1));
            assert!(!m.weights.contains(&born.weight(1, motor)) && !f.weights.contains(&born.weight(1, motor)));
        }
        assert!(inherit_both([(&mother, &f), (&father, &f)], &BTreeMap::new(), &child, &mut draws(3)).is_err());
    }
}
