//! Which robot simulator evaluates whom: at most as many at once as each can, refilled singly, lost ones elsewhere. Pure.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// An individual: generation and number.
pub type Name = (u32, u32);

#[derive(Debug, Default)]
struct Simulator {
    /// How many it takes at once; 0 while it cannot be asked.
    limit: usize,
    /// What it was sent and has not answered: when, s, and whether that is too long ago.
    sent: BTreeMap<Name, (f64, bool)>,
}

/// What is known of a fitness that came.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// The simulator was asked for it.
    Asked,
    /// It was asked, but so long ago that the individual was sent again.
    Late,
    /// It was never asked for it, or has told it before.
    Unknown,
}

/// Individuals that are to be evaluated, and who has them. Times are in seconds since any moment.
#[derive(Debug, Default)]
pub struct Dispatch {
    simulators: Vec<Simulator>,
    generation: u32,
    waiting: VecDeque<Name>,
    /// Simulators that had an individual and did not answer.
    tried: BTreeMap<Name, BTreeSet<usize>>,
}

impl Dispatch {
    /// So many simulators, none of which can be asked yet.
    pub fn new(simulators: usize) -> Dispatch {
        let simulators = (0..simulators).map(|_| Simulator::default()).collect();
        Dispatch { simulators, ..Dispatch::default() }
    }

    /// A generation is to be evaluated; others are forgotten, but who still has them is full as long as it has.
    pub fn begin(&mut self, generation: u32, count: u32) {
        self.generation = generation;
        self.waiting = (1..=count).map(|number| (generation, number)).collect();
        self.tried.clear();
    }

    /// A simulator takes so many at once.
    pub fn join(&mut self, simulator: usize, limit: u32) {
        self.simulators[simulator].limit = limit as usize;
    }

    /// A simulator is gone, and what it had is sent to others; tells how much.
    pub fn leave(&mut self, simulator: usize) -> usize {
        let gone = std::mem::take(&mut self.simulators[simulator]);
        let waiting: BTreeSet<Name> = self.waiting.iter().copied().collect();
        // In front, in their order.
        for (name, (_, late)) in gone.sent.iter().rev().filter(|(name, _)| name.0 == self.generation) {
            self.tried.entry(*name).or_default().insert(simulator);
            if !late && !waiting.contains(name) && !self.is_sent(*name) {
                self.waiting.push_front(*name);
            }
        }
        gone.sent.len()
    }

    /// Who is to be sent whom next; only those that are `open` are sent anything.
    pub fn next(&mut self, now: f64, open: impl Fn(usize) -> bool) -> Option<(usize, Name)> {
        let name = *self.waiting.front()?;
        let free = |simulator: &Simulator| simulator.limit.saturating_sub(simulator.sent.len());
        let tried = self.tried.get(&name);
        let known = |at: usize| tried.is_some_and(|tried| tried.contains(&at));
        let all = self.simulators.iter().enumerate();
        let able = all.filter(|(at, one)| free(one) > 0 && !one.sent.contains_key(&name) && open(*at));
        // Elsewhere if possible, and where most is free.
        let (at, _) = able.max_by_key(|(at, one)| (!known(*at), free(one), usize::MAX - at))?;
        self.waiting.pop_front();
        self.simulators[at].sent.insert(name, (now, false));
        Some((at, name))
    }

    /// A simulator tells a fitness.
    pub fn answer(&mut self, simulator: usize, name: Name) -> Known {
        match self.simulators[simulator].sent.remove(&name) {
            Some((_, false)) => Known::Asked,
            Some((_, true)) => {
                self.waiting.retain(|other| *other != name);
                Known::Late
            }
            None => Known::Unknown,
        }
    }

    /// Finds what was sent longer than `longest` ago, s, and has it sent again; tells simulators and individuals.
    pub fn overdue(&mut self, now: f64, longest: f64) -> Vec<(usize, Name)> {
        let mut found = Vec::new();
        for (at, simulator) in self.simulators.iter_mut().enumerate() {
            for (name, (sent, late)) in &mut simulator.sent {
                if !*late && now - *sent > longest {
                    *late = true;
                    // Who has one of an older generation is late, but nobody waits for it.
                    found.extend((name.0 == self.generation).then_some((at, *name)));
                }
            }
        }
        for (at, name) in &found {
            self.tried.entry(*name).or_default().insert(*at);
            self.waiting.push_back(*name);
        }
        found
    }

    /// Simulators that have something and are late with all of it.
    pub fn stuck(&self) -> Vec<usize> {
        let stuck = |one: &Simulator| !one.sent.is_empty() && one.sent.values().all(|(_, late)| *late);
        self.simulators.iter().enumerate().filter(|(_, one)| stuck(one)).map(|(at, _)| at).collect()
    }

    /// How many a simulator has.
    pub fn in_flight(&self, simulator: usize) -> usize {
        self.simulators[simulator].sent.len()
    }

    /// Somebody has it and is not late.
    fn is_sent(&self, name: Name) -> bool {
        self.simulators.iter().any(|one| one.sent.get(&name).is_some_and(|(_, late)| !late))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Dispatch {
        fn send(&mut self, now: f64) -> Vec<(usize, Name)> {
            std::iter::from_fn(|| self.next(now, |_| true)).collect()
        }
    }

    #[test]
    fn each_has_as_many_as_it_can_and_is_refilled_singly() {
        let mut dispatch = Dispatch::new(2);
        dispatch.begin(1, 6);
        assert!(dispatch.send(0.0).is_empty());
        dispatch.join(0, 1);
        dispatch.join(1, 3);
        let sent = dispatch.send(0.0);
        assert_eq!(sent.len(), 4);
        assert_eq!((dispatch.in_flight(0), dispatch.in_flight(1)), (1, 3));
        let one = sent.iter().find(|(at, _)| *at == 1).unwrap().1;
        assert_eq!(dispatch.answer(0, one), Known::Unknown);
        assert_eq!(dispatch.answer(1, one), Known::Asked);
        assert_eq!(dispatch.answer(1, one), Known::Unknown);
        assert_eq!(dispatch.next(0.0, |at| at != 1), None);
        assert_eq!(dispatch.send(0.0), [(1, (1, 5))]);
    }

    #[test]
    fn what_is_lost_goes_elsewhere_and_comes_back_if_there_is_nobody_else() {
        let mut dispatch = Dispatch::new(2);
        dispatch.begin(1, 2);
        dispatch.join(0, 2);
        assert_eq!(dispatch.send(0.0), [(0, (1, 1)), (0, (1, 2))]);
        assert!(dispatch.overdue(5.0, 5.0).is_empty());
        assert_eq!(dispatch.overdue(5.1, 5.0).len(), 2);
        assert!(
            dispatch.overdue(9.0, 5.0).is_empty() && dispatch.send(9.0).is_empty(),
            "told once, and nobody is free"
        );
        assert_eq!(dispatch.stuck(), [0]);
        dispatch.join(1, 1);
        assert_eq!(dispatch.send(9.0), [(1, (1, 1))]);
        // The late answer comes after all.
        assert_eq!(dispatch.answer(0, (1, 2)), Known::Late);
        assert_eq!(dispatch.answer(1, (1, 1)), Known::Asked);
        assert!(dispatch.send(9.0).is_empty());
        let mut alone = Dispatch::new(1);
        alone.begin(1, 1);
        alone.join(0, 1);
        assert_eq!(alone.send(0.0).len(), 1);
        assert_eq!(alone.overdue(9.0, 5.0).len(), 1);
        assert_eq!(alone.leave(0), 1);
        alone.join(0, 1);
        assert_eq!(alone.send(9.0), [(0, (1, 1))]);
        assert!(alone.waiting.is_empty(), "once");
    }

    #[test]
    fn who_leaves_gives_all_it_had_to_others() {
        let mut dispatch = Dispatch::new(2);
        dispatch.begin(1, 4);
        dispatch.join(0, 2);
        dispatch.join(1, 2);
        let sent = dispatch.send(0.0);
        let lost: Vec<Name> = sent.iter().filter(|(at, _)| *at == 0).map(|(_, name)| *name).collect();
        assert_eq!(dispatch.leave(0), 2);
        let kept: Vec<Name> = sent.iter().filter(|(at, _)| *at == 1).map(|(_, name)| *name).collect();
        kept.iter().for_each(|name| assert_eq!(dispatch.answer(1, *name), Known::Asked));
        let again: Vec<Name> = dispatch.send(1.0).into_iter().map(|(_, name)| name).collect();
        assert_eq!(again, lost);
    }

    #[test]
    fn the_last_generation_s_answers_free_their_places_in_the_next_one() {
        let mut dispatch = Dispatch::new(1);
        dispatch.begin(1, 1);
        dispatch.join(0, 1);
        dispatch.send(0.0);
        dispatch.overdue(9.0, 5.0);
        dispatch.begin(2, 1);
        assert!(dispatch.send(9.0).is_empty());
        assert_eq!(dispatch.answer(0, (1, 1)), Known::Late);
        assert_eq!(dispatch.send(9.0), [(0, (2, 1))]);
    }
}
