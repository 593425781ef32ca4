//! Crossover of bodies, an extension of pyro-corpus.

use crate::prif::Prif;
use crate::{Direction, Plan};
use std::collections::BTreeMap;
use xpuck_kernels::random::Draws;

/// Maximum number of instruction pairs that are tried until one gives a valid body.
const TRIES: usize = 50;

/// Body that combines parts of two parents.
#[derive(Clone, Debug, PartialEq)]
pub struct Graft {
    /// Definition of the combined body.
    pub child: Prif,
    /// Ids of the father's parts in the child, mapped to their ids in the father.
    pub ids: BTreeMap<u32, u32>,
}

/// Returns a copy of `mother` in which a random instruction of `father` replaces a random instruction. Both
/// instructions include all instructions that follow them. The root is never replaced or inserted.
///
/// The inserted instructions get new, unique ids. Returns `None` if no try gives a valid body, or if a parent has only
/// one instruction.
pub fn cross(mother: &Prif, father: &Prif, draws: &mut Draws) -> Option<Graft> {
    let (places, donors) = (count(mother), count(father));
    if places == 0 || donors == 0 {
        return None;
    }
    let fresh = mother.greatest_id().checked_add(1)?;
    for _ in 0..TRIES {
        let mut child = mother.clone();
        let (_, part) = nth(father, &mut draws.below(donors))?;
        let mut part = part.clone();
        let (mut next, mut ids) = (fresh, BTreeMap::new());
        rename(&mut part, &mut next, &mut ids)?;
        let place = nth_mut(&mut child, &mut draws.below(places))?;
        *place = part;
        if child != *mother && Plan::new(&child).is_ok() {
            return Some(Graft { child, ids });
        }
    }
    None
}

/// Returns the number of instructions below the root.
fn count(prif: &Prif) -> u32 {
    let mut count = 0;
    prif.each(&mut |_| count += 1);
    count - 1
}

fn nth<'a>(prif: &'a Prif, left: &mut u32) -> Option<(Direction, &'a Prif)> {
    for (key, next) in &prif.next {
        if *left == 0 {
            return Some((*key, next));
        }
        *left -= 1;
        if let Some(found) = nth(next, left) {
            return Some(found);
        }
    }
    None
}

fn nth_mut<'a>(prif: &'a mut Prif, left: &mut u32) -> Option<&'a mut Prif> {
    for (_, next) in &mut prif.next {
        if *left == 0 {
            return Some(next);
        }
        *left -= 1;
        if let Some(found) = nth_mut(next, left) {
            return Some(found);
        }
    }
    None
}

fn rename(prif: &mut Prif, next: &mut u32, ids: &mut BTreeMap<u32, u32>) -> Option<()> {
    ids.insert(*next, prif.id);
    prif.id = *next;
    *next = next.checked_add(1)?;
    prif.next.iter_mut().try_for_each(|(_, one)| rename(one, next, ids))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::variation::{MutationRules, random_body};
    use std::collections::BTreeSet;
    use xpuck_kernels::random::Stream;

    fn draws(seed: u64) -> Draws {
        Draws::new(seed, 0, 0, 0, Stream::Evolution)
    }

    fn parts(prif: &Prif) -> Vec<(crate::Part, u32)> {
        let mut all = Vec::new();
        prif.each(&mut |one| all.push((one.part, one.repetitions)));
        all
    }

    #[test]
    fn crossed_child_has_parts_of_both_parents_and_unique_ids() {
        let mut crossed = 0;
        for seed in 0..50 {
            let [mother, father] = [1, 2].map(|one| random_body(12, MutationRules::Readme, &mut draws(seed * 3 + one)));
            let Some(Graft { child, ids: grafted }) = cross(&mother, &father, &mut draws(seed)) else { continue };
            crossed += 1;
            Plan::new(&child).unwrap();
            let (mut ids, mut count) = (BTreeSet::new(), 0);
            child.each(&mut |one| {
                ids.insert(one.id);
                count += 1;
            });
            assert_eq!(ids.len(), count);
            let mut fathers = BTreeSet::new();
            father.each(&mut |one| {
                fathers.insert(one.id);
            });
            assert!(!grafted.is_empty() && grafted.iter().all(|(new, old)| ids.contains(new) && fathers.contains(old)));
            let known = [parts(&mother), parts(&father)].concat();
            assert!(parts(&child).iter().all(|part| known.contains(part)));
        }
        assert!(crossed > 30, "{crossed}");
    }

    #[test]
    fn crossover_with_single_part_body_is_none() {
        let body = random_body(12, MutationRules::Readme, &mut draws(1));
        assert_eq!(cross(&Prif::seed(), &body, &mut draws(2)), None);
        assert_eq!(cross(&body, &Prif::seed(), &mut draws(2)), None);
    }
}
