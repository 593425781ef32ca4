//! Bounded queues of individuals. Managers are served round-robin.

use super::super::individual::Individual;
use std::collections::{BTreeMap, VecDeque};

/// Number of waiting individuals of a manager at which the server stops reading from the manager.
const MOST_WAITING: usize = 1024;
/// Total number of values of a manager's waiting individuals at which the server stops reading from the manager. It
/// bounds the memory.
const MOST_VALUES: usize = 1 << 20;

/// Origin of an individual: its manager's connection, its generation and its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Job {
    pub connection: u32,
    pub generation: u32,
    pub number: u32,
}

#[derive(Debug, Default)]
struct Waiting {
    individuals: VecDeque<Individual>,
    values: usize,
}

/// Waiting individuals of each manager, and individuals in evaluation.
#[derive(Debug, Default)]
pub(super) struct Queue {
    waiting: BTreeMap<u32, Waiting>,
    running: BTreeMap<u64, Job>,
    cancelled: Vec<u64>,
    last_ticket: u64,
    /// Connection whose individual was removed from the queue last.
    last_connection: u32,
}

impl Queue {
    pub(super) fn push(&mut self, connection: u32, individual: Individual) {
        let waiting = self.waiting.entry(connection).or_default();
        waiting.values += individual.values.len();
        waiting.individuals.push_back(individual);
    }

    pub(super) fn is_full(&self, connection: u32) -> bool {
        let waiting = self.waiting.get(&connection);
        waiting.is_some_and(|waiting| waiting.individuals.len() >= MOST_WAITING || waiting.values >= MOST_VALUES)
    }

    pub(super) fn owes(&self, connection: u32) -> bool {
        self.waiting.contains_key(&connection) || self.running.values().any(|job| job.connection == connection)
    }

    /// Returns the number of individuals in evaluation.
    pub(super) fn running(&self) -> usize {
        self.running.len()
    }

    /// Removes the next individual in round-robin order, and returns it with a new ticket.
    pub(super) fn pop(&mut self) -> Option<(u64, Individual)> {
        let after = self.waiting.range(self.last_connection.saturating_add(1)..).next();
        let connection = *after.or_else(|| self.waiting.iter().next())?.0;
        self.last_connection = connection;
        let waiting = self.waiting.get_mut(&connection)?;
        let individual = waiting.individuals.pop_front()?;
        waiting.values -= individual.values.len();
        if waiting.individuals.is_empty() {
            self.waiting.remove(&connection);
        }
        self.last_ticket += 1;
        let (generation, number) = (individual.generation, individual.number);
        self.running.insert(self.last_ticket, Job { connection, generation, number });
        Some((self.last_ticket, individual))
    }

    /// Ends an evaluation. Returns the origin of the individual; `None` if its manager has disconnected.
    pub(super) fn end(&mut self, ticket: u64) -> Option<Job> {
        self.running.remove(&ticket)
    }

    /// Drops all individuals of a disconnected manager. Returns the number of dropped individuals.
    pub(super) fn close(&mut self, connection: u32) -> usize {
        let waiting = self.waiting.remove(&connection).map_or(0, |waiting| waiting.individuals.len());
        let running = self.running.len();
        self.running.retain(|ticket, job| {
            let kept = job.connection != connection;
            if !kept {
                self.cancelled.push(*ticket);
            }
            kept
        });
        waiting + running - self.running.len()
    }

    /// Removes and returns the tickets of cancelled evaluations.
    pub(super) fn cancelled(&mut self) -> std::vec::Drain<'_, u64> {
        self.cancelled.drain(..)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn managers_are_served_round_robin() {
        let mut queue = Queue::default();
        let individual = |number: u32| Individual { number, values: vec![0.0; 10], ..Individual::default() };
        (1..=3).for_each(|number| queue.push(7, individual(number)));
        queue.push(9, individual(4));
        let order: Vec<u32> = std::iter::from_fn(|| queue.pop()).map(|(_, individual)| individual.number).collect();
        assert_eq!(order, [1, 4, 2, 3]);
        assert!(queue.owes(7) && queue.running() == 4);
        assert_eq!(queue.end(2), Some(Job { connection: 9, generation: 0, number: 4 }));
        queue.push(7, individual(5));
        assert_eq!(queue.close(7), 4);
        assert_eq!(queue.cancelled().collect::<Vec<_>>(), [1, 3, 4]);
        assert!(!queue.owes(7) && queue.pop().is_none() && queue.end(1).is_none());
    }

    #[test]
    fn each_manager_has_a_bound() {
        let mut queue = Queue::default();
        while !queue.is_full(1) {
            queue.push(1, Individual { values: vec![0.0; 60_000], ..Individual::default() });
        }
        assert!(queue.waiting[&1].values < MOST_VALUES + 60_000 && !queue.is_full(2));
        while !queue.is_full(2) {
            queue.push(2, Individual::default());
        }
        assert_eq!(queue.waiting[&2].individuals.len(), MOST_WAITING);
    }
}
