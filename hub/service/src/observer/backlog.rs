//! What waits for one watcher of the stream: the newest messages, when it reads too slowly for all of them.

use std::collections::VecDeque;
use std::sync::Arc;

/// Messages that may wait for one watcher: more than a turn of the hub's loop brings.
pub const QUEUE: usize = 400;
/// Bytes that may be on their way to a watcher: enough for such a turn, and hardly old when they arrive.
pub const WINDOW: usize = 64 * 1024;

/// A message: topic and text. All watchers share one copy.
pub type Message = Arc<(String, String)>;

/// The messages that wait for a watcher.
#[derive(Debug, Default)]
pub struct Backlog {
    waiting: VecDeque<Message>,
    /// Bytes given out since the way was last known to be empty.
    under_way: usize,
}

impl Backlog {
    /// Takes a message. True if the oldest that waited was dropped for it.
    pub fn push(&mut self, message: Message) -> bool {
        let full = self.waiting.len() >= QUEUE;
        if full {
            self.waiting.pop_front();
        }
        self.waiting.push_back(message);
        full
    }

    /// All that was given out has left for the watcher.
    pub fn way_is_empty(&mut self) {
        self.under_way = 0;
    }

    /// The next message to give out; `None` if none waits or too much is under way.
    pub fn next(&mut self) -> Option<Message> {
        if self.under_way >= WINDOW {
            return None;
        }
        let message = self.waiting.pop_front()?;
        self.under_way += message.0.len() + message.1.len();
        Some(message)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(number: usize) -> Message {
        Arc::new((String::from("poses"), format!("{number:>1000}")))
    }

    fn numbers(backlog: &mut Backlog) -> Vec<usize> {
        std::iter::from_fn(|| backlog.next()).map(|m| m.1.trim().parse().unwrap()).collect()
    }

    #[test]
    fn the_oldest_goes_and_no_more_is_given_out_than_the_way_holds() {
        let mut backlog = Backlog::default();
        let fits = WINDOW.div_ceil(1005);
        let dropped = (0..QUEUE + fits).filter(|n| backlog.push(message(*n))).count();
        assert_eq!(dropped, fits);
        assert_eq!(numbers(&mut backlog), (fits..2 * fits).collect::<Vec<_>>());
        assert_eq!((0..1000).filter(|n| backlog.push(message(1000 + n))).count(), 1000 - fits);
        assert_eq!(numbers(&mut backlog), Vec::<usize>::new());
        let mut rest = Vec::new();
        while rest.last() != Some(&1999) {
            backlog.way_is_empty();
            rest.extend(numbers(&mut backlog));
        }
        assert_eq!(rest, (2000 - QUEUE..2000).collect::<Vec<_>>());
    }
}
