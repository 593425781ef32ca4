//! Following the hub's events, of which it keeps the last thousand. Pure.

use xpuck_wire::message::Event;

/// Who was told events before, and asks what is new.
#[derive(Debug, Default)]
pub struct Follow {
    last: Option<Event>,
}

/// What is new.
#[derive(Debug, PartialEq)]
pub enum News {
    /// Events since the last ones, and how many are lost before them because the hub keeps them no longer.
    Events(Vec<Event>, u64),
    /// The hub was started anew and counts from 1: what was asked for is to be asked for again.
    Anew,
}

impl Follow {
    /// From the events above this number on.
    pub fn after(number: u64) -> Follow {
        let event =
            |number| Event { number, time: 0.0, level: Default::default(), who: String::new(), text: String::new() };
        Follow { last: (number > 0).then(|| event(number)) }
    }

    /// The number above which to ask: one below the last event, which shows that the hub is the same.
    pub fn question(&self) -> u64 {
        self.last.as_ref().map_or(0, |last| last.number.saturating_sub(1))
    }

    /// The answer came.
    pub fn take(&mut self, mut events: Vec<Event>) -> News {
        let newest = events.last().cloned();
        let lost = match (&self.last, events.first()) {
            (None, _) => 0,
            (Some(last), Some(first)) if first.number > last.number => first.number - last.number - 1,
            // Whoever says where to begin knows the number alone.
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
