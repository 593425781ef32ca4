//! Mutation of bodies.

use super::{choose, weighted};
use crate::part::{Axis, Direction, Part};
use crate::prif::Prif;
use crate::{BodyError, Plan};
use xpuck_kernels::random::Draws;

/// Rule set of a mutation.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MutationRules {
    /// Rules of pyro-corpus's README. A mutation changes the class (probability 0.2), the shape (0.2) or the following
    /// instructions (0.6). A change of shape affects the direction (0.1), the repetitions (0.8) or the axis (0.1).
    #[default]
    Readme,
    /// Rules of pyro-corpus's code. A mutation changes the class (probability 0.2) or the following instructions
    /// (0.8). The shape never changes.
    AsPublished,
}

/// Maximum number of draws until a mutation gives a valid body. If all draws fail, the body remains unchanged.
const TRIES: usize = 1000;

/// Returns a body with one mutation. If the mutated body is invalid, usually because parts overlap, another mutation is
/// drawn. The id of a new instruction is the maximum id plus 1.
///
/// # Errors
/// Returns an error if `prif` itself is not a valid body.
pub fn mutate(prif: &Prif, manner: MutationRules, draws: &mut Draws) -> Result<Prif, BodyError> {
    Plan::new(prif)?;
    let fresh = prif.greatest_id().saturating_add(1);
    for _ in 0..TRIES {
        let mut mutant = prif.clone();
        mutate_in_place(&mut mutant, manner, fresh, draws);
        if mutant != *prif && Plan::new(&mutant).is_ok() {
            return Ok(mutant);
        }
    }
    Ok(prif.clone())
}

/// Returns a body that grows from one brain part by the given number of mutations.
pub fn random_body(mutations: u32, manner: MutationRules, draws: &mut Draws) -> Prif {
    // Mutants of valid bodies are valid, so `mutate` cannot fail.
    (0..mutations).fold(Prif::seed(), |prif, _| mutate(&prif, manner, draws).unwrap_or(prif))
}

fn mutate_in_place(prif: &mut Prif, manner: MutationRules, fresh: u32, draws: &mut Draws) {
    // A brain part cannot change class or shape.
    let weights = match (manner, prif.part) {
        (_, Part::Brain) => [0.0, 0.0, 1.0],
        (MutationRules::Readme, _) => [0.2, 0.2, 0.6],
        (MutationRules::AsPublished, _) => [0.2, 0.0, 0.8],
    };
    match weighted(draws, &weights) {
        0 => prif.part = choose_other(draws, &Part::CHANGEABLE, prif.part),
        1 => mutate_shape(prif, draws),
        _ => mutate_children(prif, manner, fresh, draws),
    }
}

fn mutate_shape(prif: &mut Prif, draws: &mut Draws) {
    match weighted(draws, &[0.1, 0.8, 0.1]) {
        0 => prif.direction = choose_other(draws, &Direction::ALL, prif.direction),
        1 => {
            let steps: &[i64] = match prif.repetitions {
                0 | 1 => &[1, 2],
                2 => &[-1, 1, 2],
                _ => &[-2, -1, 1, 2],
            };
            let repetitions = i64::from(prif.repetitions) + choose(draws, steps);
            prif.repetitions = u32::try_from(repetitions).unwrap_or(prif.repetitions);
        }
        _ => prif.axis = choose_other(draws, &Axis::ALL, prif.axis),
    }
}

/// Draws a key. Adds an instruction if the key is unused, otherwise mutates the instruction with this key. The
/// direction of a new part is drawn independently of the key, as in pyro-corpus.
fn mutate_children(prif: &mut Prif, manner: MutationRules, fresh: u32, draws: &mut Draws) {
    let key = choose(draws, &Direction::ALL);
    match prif.next.iter_mut().find(|(direction, _)| *direction == key) {
        Some((_, next)) => mutate_in_place(next, manner, fresh, draws),
        None => {
            let part = choose(draws, &Part::CHANGEABLE);
            let direction = choose(draws, &Direction::ALL);
            let axis = choose(draws, &Axis::ALL);
            prif.next.push((key, Prif::single(fresh, part, direction, axis)));
        }
    }
}

/// Draws an element of `among` other than `now`.
fn choose_other<T: Copy + PartialEq>(draws: &mut Draws, among: &[T], now: T) -> T {
    let others: Vec<T> = among.iter().copied().filter(|one| *one != now).collect();
    choose(draws, &others)
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_kernels::random::Stream;

    fn draws(seed: u64) -> Draws {
        Draws::new(seed, 0, 0, 0, Stream::Evolution)
    }

    /// Returns the name of the first difference between an instruction and its mutant.
    fn kind(before: &Prif, after: &Prif) -> &'static str {
        if before.part != after.part {
            return "part";
        }
        if before.direction != after.direction {
            return "direction";
        }
        if before.repetitions != after.repetitions {
            return "repetitions";
        }
        if before.axis != after.axis {
            return "axis";
        }
        for (key, next) in &after.next {
            match before.at(*key) {
                None => return "new",
                Some(old) if old != next => return kind(old, next),
                Some(_) => {}
            }
        }
        "nothing"
    }

    fn shares(manner: MutationRules) -> impl Fn(&str) -> f64 {
        // The body is a single chain, so that few mutations cause overlaps.
        let prif = Prif::parse("(B(), [LEFT, 4, X], None)").unwrap();
        let n = 20_000;
        let mut draws = draws(3);
        let kinds: Vec<&str> = (0..n).map(|_| kind(&prif, &mutate(&prif, manner, &mut draws).unwrap())).collect();
        move |name| kinds.iter().filter(|kind| **kind == name).count() as f64 / f64::from(n)
    }

    #[test]
    fn mutations_are_as_frequent_as_the_readme_means_them() {
        // A sixth of the new parts (probability 0.6) would overlap the chain. These mutations are drawn again.
        let whole = 0.2 + 0.2 + 0.6 * 5.0 / 6.0;
        let share = shares(MutationRules::Readme);
        let expected = [("part", 0.2), ("direction", 0.02), ("repetitions", 0.16), ("axis", 0.02), ("new", 0.5)];
        for (name, expected) in expected {
            assert!((share(name) - expected / whole).abs() < 0.01, "{name}: {}", share(name));
        }
    }

    #[test]
    fn as_published_no_chain_and_no_axis_ever_changes() {
        let share = shares(MutationRules::AsPublished);
        assert_eq!([share("direction"), share("repetitions"), share("axis")], [0.0; 3]);
        assert!((share("part") - 0.2 / (0.2 + 0.8 * 5.0 / 6.0)).abs() < 0.01);
    }

    #[test]
    fn mutants_are_valid_bodies_with_unchanged_brain_part() {
        for seed in 0..40 {
            let mut draws = draws(seed);
            let mut prif = Prif::seed();
            for _ in 0..60 {
                prif = mutate(&prif, MutationRules::Readme, &mut draws).unwrap();
                Plan::new(&prif).unwrap();
                assert_eq!((prif.part, prif.repetitions, prif.axis), (Part::Brain, 1, Axis::Y));
            }
            assert_eq!(random_body(60, MutationRules::Readme, &mut self::draws(seed)), prif);
        }
    }

    #[test]
    fn largest_body_still_mutates() {
        let prif = Prif::parse("(B(), [LEFT, 256, X], None)").unwrap();
        let mutant = mutate(&prif, MutationRules::Readme, &mut draws(1)).unwrap();
        assert_ne!(mutant, prif);
    }
}
