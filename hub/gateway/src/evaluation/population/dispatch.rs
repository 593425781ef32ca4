//! Assigns individuals one at a time to robot simulators, each of which evaluates a limited number concurrently.
//! Reassigns the individuals of lost simulators. The module performs no input or output.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

/// Identification of an individual: generation and number.
pub type IndividualId = (u32, u32);

#[derive(Debug, Default)]
struct Simulator {
    /// Maximum number of individuals that the simulator evaluates concurrently; 0 while it is not connected.
    limit: usize,
    /// Unanswered individuals, each with the time at which it was sent (s), and whether its answer is overdue.
    sent: BTreeMap<IndividualId, (f64, bool)>,
}

/// Classification of a fitness value received from a simulator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnswerKind {
    /// The simulator was asked for the fitness, and the answer is in time.
    Asked,
    /// The simulator was asked for the fitness, but the answer is overdue.
    Late,
    /// The simulator was not asked for the fitness, or has already answered.
    Unknown,
}

/// Individuals to evaluate, and their assignment to simulators. Times are in seconds from an arbitrary origin.
#[derive(Debug, Default)]
pub struct Dispatch {
    simulators: Vec<Simulator>,
    generation: u32,
    waiting: VecDeque<IndividualId>,
    /// For each individual, the simulators whose answer was overdue or that were lost before they answered.
    tried: BTreeMap<IndividualId, BTreeSet<usize>>,
}

impl Dispatch {
    /// Creates a dispatcher for `simulators` simulators. Initially, no simulator is available.
    pub fn new(simulators: usize) -> Dispatch {
        let simulators = (0..simulators).map(|_| Simulator::default()).collect();
        Dispatch { simulators, ..Dispatch::default() }
    }

    /// Starts the evaluation of individuals 1 to `count` of a generation, and drops the queued individuals of other
    /// generations. Unanswered individuals still count against the limit of their simulator.
    pub fn begin(&mut self, generation: u32, count: u32) {
        self.generation = generation;
        self.waiting = (1..=count).map(|number| (generation, number)).collect();
        self.tried.clear();
    }

    /// Makes a simulator available, with the maximum number of individuals that it evaluates concurrently.
    pub fn join(&mut self, simulator: usize, limit: u32) {
        self.simulators[simulator].limit = limit as usize;
    }

    /// Makes a simulator unavailable, and queues its individuals for other simulators. Returns the number of
    /// individuals whose fitness the simulator had not returned.
    pub fn leave(&mut self, simulator: usize) -> usize {
        let gone = std::mem::take(&mut self.simulators[simulator]);
        let waiting: BTreeSet<IndividualId> = self.waiting.iter().copied().collect();
        // Lost individuals go to the front of the queue, in the order of their numbers.
        for (name, (_, late)) in gone.sent.iter().rev().filter(|(name, _)| name.0 == self.generation) {
            self.tried.entry(*name).or_default().insert(simulator);
            if !late && !waiting.contains(name) && !self.is_sent(*name) {
                self.waiting.push_front(*name);
            }
        }
        gone.sent.len()
    }

    /// Assigns the next individual to a simulator for which `open` is true. Returns the index of the simulator and
    /// the individual; `None` if no individual waits or no simulator is free.
    pub fn next(&mut self, now: f64, open: impl Fn(usize) -> bool) -> Option<(usize, IndividualId)> {
        let name = *self.waiting.front()?;
        let free = |simulator: &Simulator| simulator.limit.saturating_sub(simulator.sent.len());
        let tried = self.tried.get(&name);
        let known = |at: usize| tried.is_some_and(|tried| tried.contains(&at));
        let all = self.simulators.iter().enumerate();
        let able = all.filter(|(at, one)| free(one) > 0 && !one.sent.contains_key(&name) && open(*at));
        // Prefers a simulator that has not failed on the individual, then the simulator with the most free slots.
        let (at, _) = able.max_by_key(|(at, one)| (!known(*at), free(one), usize::MAX - at))?;
        self.waiting.pop_front();
        self.simulators[at].sent.insert(name, (now, false));
        Some((at, name))
    }

    /// Records that a simulator has reported a fitness, and classifies it.
    pub fn answer(&mut self, simulator: usize, name: IndividualId) -> AnswerKind {
        match self.simulators[simulator].sent.remove(&name) {
            Some((_, false)) => AnswerKind::Asked,
            Some((_, true)) => {
                self.waiting.retain(|other| *other != name);
                AnswerKind::Late
            }
            None => AnswerKind::Unknown,
        }
    }

    /// Finds unanswered individuals that were sent more than `longest` seconds ago, and queues them again. Returns
    /// these individuals, each with the index of its simulator.
    pub fn overdue(&mut self, now: f64, longest: f64) -> Vec<(usize, IndividualId)> {
        let mut found = Vec::new();
        for (at, simulator) in self.simulators.iter_mut().enumerate() {
            for (name, (sent, late)) in &mut simulator.sent {
                if !*late && now - *sent > longest {
                    *late = true;
                    // An individual of an older generation is also marked as late, but not sent again.
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

    /// Returns the simulators that have unanswered individuals, all of which are late.
    pub fn stuck(&self) -> Vec<usize> {
        let stuck = |one: &Simulator| !one.sent.is_empty() && one.sent.values().all(|(_, late)| *late);
        self.simulators.iter().enumerate().filter(|(_, one)| stuck(one)).map(|(at, _)| at).collect()
    }

    /// Returns the number of unanswered individuals of a simulator.
    pub fn in_flight(&self, simulator: usize) -> usize {
        self.simulators[simulator].sent.len()
    }

    /// Returns whether a simulator has the individual, and its answer is not late.
    fn is_sent(&self, name: IndividualId) -> bool {
        self.simulators.iter().any(|one| one.sent.get(&name).is_some_and(|(_, late)| !late))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    impl Dispatch {
        fn send(&mut self, now: f64) -> Vec<(usize, IndividualId)> {
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
        assert_eq!(dispatch.answer(0, one), AnswerKind::Unknown);
        assert_eq!(dispatch.answer(1, one), AnswerKind::Asked);
        assert_eq!(dispatch.answer(1, one), AnswerKind::Unknown);
        assert_eq!(dispatch.next(0.0, |at| at != 1), None);
        assert_eq!(dispatch.send(0.0), [(1, (1, 5))]);
    }

    #[test]
    fn lost_individuals_are_reassigned() {
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
        // The late answer arrives after the reassignment.
        assert_eq!(dispatch.answer(0, (1, 2)), AnswerKind::Late);
        assert_eq!(dispatch.answer(1, (1, 1)), AnswerKind::Asked);
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
    fn work_of_leaving_client_is_reassigned() {
        let mut dispatch = Dispatch::new(2);
        dispatch.begin(1, 4);
        dispatch.join(0, 2);
        dispatch.join(1, 2);
        let sent = dispatch.send(0.0);
        let lost: Vec<IndividualId> = sent.iter().filter(|(at, _)| *at == 0).map(|(_, name)| *name).collect();
        assert_eq!(dispatch.leave(0), 2);
        let kept: Vec<IndividualId> = sent.iter().filter(|(at, _)| *at == 1).map(|(_, name)| *name).collect();
        kept.iter().for_each(|name| assert_eq!(dispatch.answer(1, *name), AnswerKind::Asked));
        let again: Vec<IndividualId> = dispatch.send(1.0).into_iter().map(|(_, name)| name).collect();
        assert_eq!(again, lost);
    }

    #[test]
    fn late_answers_free_slots_for_next_generation() {
        let mut dispatch = Dispatch::new(1);
        dispatch.begin(1, 1);
        dispatch.join(0, 1);
        dispatch.send(0.0);
        dispatch.overdue(9.0, 5.0);
        dispatch.begin(2, 1);
        assert!(dispatch.send(9.0).is_empty());
        assert_eq!(dispatch.answer(0, (1, 1)), AnswerKind::Late);
        assert_eq!(dispatch.send(9.0), [(0, (2, 1))]);
    }
}
