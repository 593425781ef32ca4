//! Incremental reading of the hub's events; the hub keeps the last thousand. Does no I/O.

use xpuck_wire::message::Event;

/// Cursor in the hub's list of events.
#[derive(Debug, Default)]
pub struct Follow {
    last: Option<Event>,
}

/// Result of an answer to an event request.
#[derive(Debug, PartialEq)]
pub enum News {
    /// New events, and the number of events lost before them because the hub no longer keeps them.
    Events(Vec<Event>, u64),
    /// The hub was restarted and counts from 1; the request must be repeated.
    Anew,
}

impl Follow {
    /// Starts after the event with this number.
    pub fn after(number: u64) -> Follow {
        let event =
            |number| Event { number, time: 0.0, level: Default::default(), who: String::new(), text: String::new() };
        Follow { last: (number > 0).then(|| event(number)) }
    }

    /// Number after which to request events: one below the last event, which is returned again to identify the hub.
    pub fn question(&self) -> u64 {
        self.last.as_ref().map_or(0, |last| last.number.saturating_sub(1))
    }

    /// Processes the hub's answer.
    pub fn take(&mut self, mut events: Vec<Event>) -> News {
        let newest = events.last().cloned();
        let lost = match (&self.last, events.first()) {
            (None, _) => 0,
            (Some(last), Some(first)) if first.number > last.number => first.number - last.number - 1,
            // A cursor from [`Follow::after`] has only the number of its event.
            (Some(last), Some(first)) if first == last || last.text.is_empty() => {
                events.remove(0);
                0
            }
            (Some(_), _) => {
                self.last = None;
                return News::Anew;
            }
        };
        self.last = newest.or(self.last.take());
        News::Events(events, lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(number: u64, text: &str) -> Event {
        Event { number, text: text.into(), ..Follow::after(1).last.unwrap() }
    }

    #[test]
    fn only_what_is_new_is_told() {
        let mut follow = Follow::default();
        assert_eq!((follow.question(), follow.take(vec![])), (0, News::Events(vec![], 0)));
        assert_eq!(
            follow.take(vec![event(1, "a"), event(2, "b")]),
            News::Events(vec![event(1, "a"), event(2, "b")], 0)
        );
        assert_eq!((follow.question(), follow.take(vec![event(2, "b")])), (1, News::Events(vec![], 0)));
        assert_eq!(follow.take(vec![event(2, "b"), event(3, "c")]), News::Events(vec![event(3, "c")], 0));
        assert_eq!(follow.take(vec![event(9, "d")]), News::Events(vec![event(9, "d")], 5));
    }

    #[test]
    fn a_hub_that_counts_from_one_again_is_asked_for_all() {
        for answer in [vec![], vec![event(2, "another"), event(3, "c")]] {
            let mut follow = Follow::default();
            follow.take(vec![event(1, "a"), event(2, "b")]);
            assert_eq!(follow.take(answer), News::Anew);
            assert_eq!(
                (follow.question(), follow.take(vec![event(1, "z")])),
                (0, News::Events(vec![event(1, "z")], 0))
            );
        }
    }

    #[test]
    fn whoever_says_where_to_begin_gets_the_rest() {
        let mut follow = Follow::after(5);
        assert_eq!(follow.question(), 4);
        assert_eq!(follow.take(vec![event(5, "e"), event(6, "f")]), News::Events(vec![event(6, "f")], 0));
    }
}
