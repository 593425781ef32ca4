//! Mutation and inheritance of brains.

use super::choose;
use crate::brain::{Brain, PERIODS, normal};
use crate::{BodyError, Plan};
use std::collections::BTreeMap;
use xpuck_kernels::random::Draws;

/// How many weights a mutation changes, and the mean of what it adds.
const SHARE: f32 = 0.75;
const MEAN: f64 = 2.0;
/// How many weights a nudge changes, and the deviation of what it adds.
const NUDGED: f32 = 0.25;
const NUDGE: f64 = 0.5;
/// Shares of the weights, beside one of them, that a varied brain changes, and deviations of what is added.
const REACHES: [f32; 4] = [0.0, 0.1, 0.3, 0.75];
const SIZES: [f64; 4] = [0.1, 0.3, 1.0, 3.0];
/// Periods that rhythms of their own begin with, as shares of the one that is told.
const OWN_PACES: [f64; 2] = [0.25, 1.5];
/// Deviation of the logarithm of a period.
const PACE: f64 = 0.2;

/// A brain in which each weight has changed with probability 0.75, all in one direction that is drawn, by exponential
/// deviates of mean 2: the mutation that pyro-corpus describes, and whose results its code throws away.
pub fn mutate_brain(brain: &Brain, draws: &mut Draws) -> Brain {
    let sign = if draws.below(2) == 0 { -1.0 } else { 1.0 };
    let weights = brain.weights.iter().map(|weight| {
        let changes = draws.unit() < SHARE;
        let size = -MEAN * libm::log(1.0 - f64::from(draws.unit()));
        if changes { weight + sign * size } else { *weight }
    });
    Brain { weights: weights.collect(), ..brain.clone() }
}

/// A brain in which each weight has changed with probability 0.25 by a normal deviate of 0.5, at least one of them: a
/// smaller step than pyro-corpus's, after which most of what a brain does is still there.
pub fn nudge_brain(brain: &Brain, draws: &mut Draws) -> Brain {
    let mut mutant = brain.clone();
    let Some(last) = (mutant.weights.len() as u32).checked_sub(1) else { return mutant };
    let chosen = draws.below(last + 1) as usize;
    for (number, weight) in mutant.weights.iter_mut().enumerate() {
        let (ticket, size) = (draws.unit(), normal(draws));
        if number == chosen || ticket < NUDGED {
            *weight += NUDGE * size;
        }
    }
    mutant
}

/// A brain that changed by a step whose size and reach are drawn: of one synapse, a tenth, a third or three quarters of them,
/// by a tenth up to three. Small steps tune what works, large ones find what else would. Most steps add a normal deviate; one
/// in ten each turns signs round, draws weights anew, halves them, or is [`mutate_brain`]'s.
pub fn vary_brain(brain: &Brain, draws: &mut Draws) -> Brain {
    let kind = draws.below(10);
    let Some(last) = (brain.weights.len() as u32).checked_sub(1) else { return brain.clone() };
    if kind == 0 {
        return mutate_brain(brain, draws);
    }
    let (share, size) = (choose(draws, &REACHES), choose(draws, &SIZES));
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

/// A brain with a period of its own, drawn between a quarter of this one, s, and one and a half of it, all octaves alike: small
/// bodies swing fast.
pub fn own_pace(brain: &Brain, period: f64, draws: &mut Draws) -> Brain {
    let [shortest, longest] = OWN_PACES;
    let drawn = period * shortest * libm::pow(longest / shortest, f64::from(draws.unit()));
    Brain { period: Some(drawn.clamp(*PERIODS.start(), *PERIODS.end())), ..brain.clone() }
}

/// A brain whose period, if it has one, is longer or shorter by a normal deviate of a fifth of it.
pub fn change_pace(brain: &Brain, draws: &mut Draws) -> Brain {
    let other = |period: f64| (period * libm::exp(PACE * normal(draws))).clamp(*PERIODS.start(), *PERIODS.end());
    Brain { period: brain.period.map(other), ..brain.clone() }
}

/// The brain of a child: weights of synapses whose two neurons the parent has are kept, the others are standard normal.
/// Neurons are the same if the parts' (for motors the joints') names are.
///
/// As published no weight is inherited: that is [`Brain::random`].
///
/// # Errors
/// The parent's brain does not fit the parent's body.
pub fn inherit(parent: &Plan, brain: &Brain, child: &Plan, draws: &mut Draws) -> Result<Brain, BodyError> {
    let known = Known::by_name(parent, brain, child)?;
    Ok(born(child, &[known], brain.period, || normal(draws)))
}

/// The brain of a child with a part of its father's body: weights of synapses whose two neurons the mother has are kept, then those of
/// synapses between neurons that are the father's and between the brain's own neuron and these, so that a limb brings its drive along; the
/// others are standard normal. `ids` has what is the father's: ids in the child, and what they were in him.
///
/// # Errors
/// A parent's brain does not fit its body.
pub fn inherit_both(
    [(mother, brain), (father, fathers)]: [(&Plan, &Brain); 2],
    ids: &BTreeMap<u32, u32>,
    child: &Plan,
    draws: &mut Draws,
) -> Result<Brain, BodyError> {
    let own = Known::by_name(mother, brain, child)?;
    let grafted = Known::by_id(father, fathers, child, ids)?;
    Ok(born(child, &[own, grafted], brain.period, || normal(draws)))
}

/// What a child has of a parent's neurons.
struct Known<'a> {
    brain: &'a Brain,
    /// For each sensor and motor of the child the number of the parent's.
    sensors: Vec<Option<usize>>,
    motors: Vec<Option<usize>>,
}

impl<'a> Known<'a> {
    fn by_name(parent: &Plan, brain: &'a Brain, child: &Plan) -> Result<Known<'a>, BodyError> {
        brain.check(parent)?;
        let joint = |plan: &Plan, part: usize| plan.joint_name(part).unwrap_or_default();
        let name = |plan: &Plan, part: usize| plan.parts()[part].name.clone();
        Ok(Known {
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

    fn by_id(parent: &Plan, brain: &'a Brain, child: &Plan, ids: &BTreeMap<u32, u32>) -> Result<Known<'a>, BodyError> {
        brain.check(parent)?;
        let name = |part: usize| parent.parts()[part].name.clone();
        // What the child's part is called in the parent; both have one root.
        let called = |part: usize| match part {
            0 => Some(name(0)),
            _ => {
                let (id, place) = child.parts()[part].name.split_once('r')?;
                Some(format!("{}r{place}", ids.get(&id.parse().ok()?)?))
            }
        };
        Ok(Known {
            brain,
            sensors: matched(child.sensors().map(called), parent.sensors().map(name)),
            motors: matched(child.motors().map(called), parent.motors().map(name)),
        })
    }
}

/// The numbers of names among a parent's.
fn matched(names: impl Iterator<Item = Option<String>>, parents: impl Iterator<Item = String>) -> Vec<Option<usize>> {
    let known: BTreeMap<String, usize> = parents.enumerate().map(|(number, name)| (name, number)).collect();
    names.map(|name| known.get(&name?).copied()).collect()
}

/// A brain with the weights of the first parent that has both neurons of a synapse; others are drawn.
fn born(child: &Plan, parents: &[Known], period: Option<f64>, mut drawn: impl FnMut() -> f64) -> Brain {
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
    fn three_quarters_of_the_weights_change_one_way_by_two_on_average() {
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
        // A quarter of nine in ten changes one weight; a quarter of them, and what is left, most.
        assert!((75..=110).contains(&single) && (95..=165).contains(&large), "{single} {large}");
        let none = Brain { sensors: 1, motors: 0, weights: vec![], period: None };
        assert_eq!(vary_brain(&none, &mut draws(1)), none);
    }

    #[test]
    fn periods_begin_around_one_and_change_by_a_fifth() {
        let brain = Brain { sensors: 1, motors: 0, weights: vec![], period: None };
        assert_eq!(change_pace(&brain, &mut draws(1)), brain);
        let begun: Vec<f64> = (0..500).map(|seed| own_pace(&brain, 0.4, &mut draws(seed)).period.unwrap()).collect();
        assert!(begun.iter().all(|period| (0.1..=0.6).contains(period)));
        let below = begun.iter().filter(|period| **period < 0.245).count();
        assert!((200..300).contains(&below), "{below}");
        let own = Brain { period: Some(0.4), ..brain };
        let ratios: Vec<f64> =
            (0..500).map(|seed| change_pace(&own, &mut draws(seed)).period.unwrap() / 0.4).map(libm::log).collect();
        let deviation = (ratios.iter().map(|r| r * r).sum::<f64>() / 500.0).sqrt();
        assert!((deviation - PACE).abs() < 0.02, "{deviation}");
        let least = Brain { period: Some(0.05), ..own };
        assert!((0..50).all(|seed| change_pace(&least, &mut draws(seed)).period >= Some(0.05)));
    }

    #[test]
    fn a_child_keeps_the_weights_between_neurons_that_persist() {
        let parent =
            plan("(CPG(0), [FRONT, 1, Y], {LEFT: (S(1), [LEFT, 1, X], None), TOP: (B(2), [TOP, 1, Z], None)})");
        let child =
            plan("(CPG(0), [FRONT, 1, Y], {LEFT: (B(1), [LEFT, 1, X], None), RIGHT: (S(3), [RIGHT, 1, X], None)})");
        let brain = Brain::random(&parent, &mut draws(1));
        let born = inherit(&parent, &brain, &child, &mut draws(2)).unwrap();
        assert_eq!((born.sensors, born.motors), (2, 2));
        // The brain's sensor and the joint of part 1 are in both; part 3 and its joint are new.
        assert_eq!(born.weight(0, 0), brain.weight(0, 0));
        assert!(!brain.weights.contains(&born.weight(0, 1)) && !brain.weights.contains(&born.weight(1, 0)));
        assert_eq!(inherit(&parent, &brain, &parent, &mut draws(3)), Ok(brain.clone()));
        let other = plan("(CPG(), [FRONT, 1, Y], None)");
        assert!(inherit(&other, &brain, &parent, &mut draws(3)).is_err());
    }

    #[test]
    fn a_limb_of_the_father_brings_its_drive_along() {
        let mother = plan("(CPG(0), [FRONT, 1, Y], {LEFT: (S(1), [LEFT, 1, X], None)})");
        let father =
            plan("(CPG(0), [FRONT, 1, Y], {RIGHT: (S(4), [RIGHT, 2, X], None), TOP: (B(1), [TOP, 1, Z], None)})");
        let child =
            plan("(CPG(0), [FRONT, 1, Y], {LEFT: (S(1), [LEFT, 1, X], None), RIGHT: (S(7), [RIGHT, 2, X], None)})");
        let [m, f] = [(&mother, 1), (&father, 2)].map(|(plan, seed)| Brain::random(plan, &mut draws(seed)));
        let born = inherit_both([(&mother, &m), (&father, &f)], &[(7, 4)].into(), &child, &mut draws(3)).unwrap();
        // Sensors: the brain, 1, and both of 7; motors: 1, and both of 7.
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
