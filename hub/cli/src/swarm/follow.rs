//! Incremental reading of the hub's events. The hub keeps the last thousand events. Does no I/O.

use xpuck_wire::message::Event;

/// Cursor that stores the last event read from the hub's list of events.
#[derive(Debug, Default)]
pub struct EventCursor {
    last: Option<Event>,
}

/// Content of the hub's answer to an event request.
#[derive(Debug, PartialEq)]
pub enum EventBatch {
    /// New events, and the number of earlier events that were missed because the hub no longer stores them.
    Events(Vec<Event>, u64),
    /// The hub was restarted and numbers its events from 1 again. The request must be repeated.
    Anew,
}

impl EventCursor {
    /// Creates a cursor that starts after the event with the given number. 0 starts at the oldest event.
    pub fn after(number: u64) -> EventCursor {
        let event =
            |number| Event { number, time: 0.0, level: Default::default(), who: String::new(), text: String::new() };
        EventCursor { last: (number > 0).then(|| event(number)) }
    }

    /// Returns the number after which events must be requested. It is one less than the number of the last event, so
    /// that the hub sends this event again. If the hub sends a different event with this number, it was restarted.
    pub fn position(&self) -> u64 {
        self.last.as_ref().map_or(0, |last| last.number.saturating_sub(1))
    }

    /// Processes the hub's answer to a request for events after [`EventCursor::position`].
    pub fn apply(&mut self, mut events: Vec<Event>) -> EventBatch {
        let newest = events.last().cloned();
        let lost = match (&self.last, events.first()) {
            (None, _) => 0,
            (Some(last), Some(first)) if first.number > last.number => first.number - last.number - 1,
            // A cursor from [`EventCursor::after`] stores only the number of its event, so the text is not compared.
            (Some(last), Some(first)) if first == last || last.text.is_empty() => {
                events.remove(0);
                0
            }
            (Some(_), _) => {
                self.last = None;
                return EventBatch::Anew;
            }
        };
        self.last = newest.or(self.last.take());
        EventBatch::Events(events, lost)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(number: u64, text: &str) -> Event {
        Event { number, text: text.into(), ..EventCursor::after(1).last.unwrap() }
    }

    #[test]
    fn only_new_events_are_returned() {
        let mut follow = EventCursor::default();
        assert_eq!((follow.position(), follow.apply(vec![])), (0, EventBatch::Events(vec![], 0)));
        assert_eq!(
            follow.apply(vec![event(1, "a"), event(2, "b")]),
            EventBatch::Events(vec![event(1, "a"), event(2, "b")], 0)
        );
        assert_eq!((follow.position(), follow.apply(vec![event(2, "b")])), (1, EventBatch::Events(vec![], 0)));
        assert_eq!(follow.apply(vec![event(2, "b"), event(3, "c")]), EventBatch::Events(vec![event(3, "c")], 0));
        assert_eq!(follow.apply(vec![event(9, "d")]), EventBatch::Events(vec![event(9, "d")], 5));
    }

    #[test]
    fn restarted_hub_resets_cursor() {
        for answer in [vec![], vec![event(2, "another"), event(3, "c")]] {
            let mut follow = EventCursor::default();
            follow.apply(vec![event(1, "a"), event(2, "b")]);
            assert_eq!(follow.apply(answer), EventBatch::Anew);
            assert_eq!(
                (follow.position(), follow.apply(vec![event(1, "z")])),
                (0, EventBatch::Events(vec![event(1, "z")], 0))
            );
        }
    }

    #[test]
    fn cursor_after_number_returns_later_events() {
        let mut follow = EventCursor::after(5);
        assert_eq!(follow.position(), 4);
        assert_eq!(follow.apply(vec![event(5, "e"), event(6, "f")]), EventBatch::Events(vec![event(6, "f")], 0));
    }
}
