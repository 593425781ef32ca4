//! State machine that selects remedies for a lost connection to the access point (thesis 5.2.3). It uses neither a
//! clock nor a radio.
//!
//! The input is the state of the connection. The output is a remedy and the time until the next check. Less disruptive
//! remedies are applied first. The pauses between remedies grow, because a radio that is reset too often never
//! connects.

use std::time::Duration;
use xpuck_wire::log::Line;
use xpuck_wire::output::count;

/// Maximum interval between checks.
pub const CHECK_INTERVAL: Duration = Duration::from_secs(5);
/// Interval until the next check after a missed reply. A single missed reply does not count as a loss of the
/// connection.
const RETRY_INTERVAL: Duration = Duration::from_secs(1);
/// Number of consecutive missed replies that count as a loss of the connection.
const MAX_MISSED: u32 = 3;
/// Pause after the first remedy. The pause doubles with each further remedy.
const FIRST_PAUSE: Duration = Duration::from_secs(4);
/// Maximum pause between two remedies.
pub const LONGEST_PAUSE: Duration = Duration::from_secs(60);

/// State of the connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Link {
    /// The board has no radio.
    NoRadio,
    /// The radio is not connected to an access point.
    Disconnected,
    /// The radio is connected to the access point, but the pinged address does not reply.
    Unresponsive,
    /// The radio is connected to the access point. The pinged address replies, or no address to ping is known.
    Connected,
}

/// Remedy for a lost connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Remedy {
    /// Make the radio associate with its access point again.
    Reassociate,
    /// Switch the radio off and on, and request its address again.
    Renew,
    /// Restart wpa_supplicant.
    RestartLogin,
}

/// Result of a check of the connection.
#[derive(Debug, PartialEq)]
pub struct Step {
    /// Remedy to apply now; `None` if no remedy is due.
    pub remedy: Option<Remedy>,
    /// Time until the next check.
    pub wait: Duration,
    /// Line for the log; `None` if there is nothing to log.
    pub log: Option<Line>,
}

/// State of the recovery, which is kept between checks.
#[derive(Clone, Debug, Default)]
pub struct WifiRecovery {
    last: Option<Link>,
    /// Number of consecutive checks without a reply.
    silent: u32,
    lost: Option<Outage>,
}

/// Current loss of the connection, with its start time and the number of remedies tried since then.
#[derive(Clone, Debug)]
struct Outage {
    since: Duration,
    tries: u32,
    /// Time at which the next remedy is due.
    due: Duration,
}

impl WifiRecovery {
    /// Processes the state of the link at time `now`. The time counts from an arbitrary start, and never decreases.
    pub fn look(&mut self, now: Duration, link: Link) -> Step {
        let before = self.last.replace(link);
        self.silent = if link == Link::Unresponsive { self.silent + 1 } else { 0 };
        match link {
            Link::Connected => Step { remedy: None, wait: CHECK_INTERVAL, log: self.recovered(now, before) },
            Link::NoRadio => {
                self.lost.get_or_insert(Outage { since: now, tries: 0, due: now });
                let say = (before != Some(link)).then(|| Line::warn("this board has no radio; waiting for one"));
                Step { remedy: None, wait: CHECK_INTERVAL, log: say }
            }
            Link::Unresponsive if self.lost.is_none() && self.silent < MAX_MISSED => {
                Step { remedy: None, wait: RETRY_INTERVAL, log: None }
            }
            Link::Disconnected | Link::Unresponsive => self.remedy(now, link),
        }
    }

    /// Handles a working connection. Returns a line for the log after a loss of the connection, and at the first
    /// check.
    fn recovered(&mut self, now: Duration, before: Option<Link>) -> Option<Line> {
        match self.lost.take() {
            Some(Outage { since, tries, .. }) => {
                let seconds = now.saturating_sub(since).as_secs();
                let tries = count(tries as usize, "try", "tries");
                Some(Line::info(format!("the access point is connected again after {seconds} s and {tries}")))
            }
            None => before.is_none().then(|| Line::info("the access point is connected")),
        }
    }

    fn remedy(&mut self, now: Duration, link: Link) -> Step {
        let lost = self.lost.get_or_insert(Outage { since: now, tries: 0, due: now });
        if now < lost.due {
            return Step { remedy: None, wait: CHECK_INTERVAL.min(lost.due - now), log: None };
        }
        lost.tries = lost.tries.saturating_add(1);
        let doublings = (lost.tries - 1).min(8);
        let pause = (FIRST_PAUSE * 2u32.pow(doublings)).min(LONGEST_PAUSE);
        lost.due = now + pause;
        let remedy = match lost.tries % 4 {
            1 | 2 => Remedy::Reassociate,
            3 => Remedy::Renew,
            _ => Remedy::RestartLogin,
        };
        // Only remedies 1, 2, 4, 8, ... of an outage are logged, so that the log stays short if the access point is off
        // for a night.
        let say = lost.tries.is_power_of_two().then(|| {
            let what = if link == Link::Disconnected { "no access point" } else { "the access point does not answer" };
            let seconds = now.saturating_sub(lost.since).as_secs();
            Line::warn(format!("{what} for {seconds} s; try {}: {}", lost.tries, remedy.description()))
        });
        Step { remedy: Some(remedy), wait: CHECK_INTERVAL.min(pause), log: say }
    }
}

impl Remedy {
    /// Returns the description of the remedy for the log.
    pub fn description(self) -> &'static str {
        match self {
            Remedy::Reassociate => "reassociating",
            Remedy::Renew => "switching the radio off and on",
            Remedy::RestartLogin => "restarting wpa_supplicant",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates the recovery for `seconds`. `link` returns the state of the link at a time (s). Returns the remedies
    /// with their times (s), and the log lines.
    fn course(seconds: u64, link: impl Fn(u64) -> Link) -> (Vec<(u64, Remedy)>, Vec<String>) {
        let (mut keeper, mut now) = (WifiRecovery::default(), Duration::ZERO);
        let (mut remedies, mut said) = (Vec::new(), Vec::new());
        while now.as_secs() < seconds {
            let step = keeper.look(now, link(now.as_secs()));
            assert!(step.wait >= RETRY_INTERVAL && step.wait <= CHECK_INTERVAL, "{step:?}");
            remedies.extend(step.remedy.map(|remedy| (now.as_secs(), remedy)));
            said.extend(step.log.map(|line| line.text));
            now += step.wait;
        }
        (remedies, said)
    }

    #[test]
    fn good_connection_needs_no_remedy() {
        assert_eq!(course(3600, |_| Link::Connected), (vec![], vec!["the access point is connected".into()]));
    }

    #[test]
    fn one_or_two_lost_answers_are_none_and_three_are() {
        let (remedies, _) = course(60, |s| if (10..12).contains(&s) { Link::Unresponsive } else { Link::Connected });
        assert_eq!(remedies, []);
        let (remedies, said) = course(60, |s| if (10..13).contains(&s) { Link::Unresponsive } else { Link::Connected });
        assert_eq!(remedies, [(12, Remedy::Reassociate)]);
        assert!(said[1].starts_with("the access point does not answer for 0 s; try 1"), "{said:?}");
        assert_eq!(said[2], "the access point is connected again after 4 s and 1 try");
    }

    #[test]
    fn lost_access_point_is_retried_with_growing_pauses() {
        let (remedies, said) = course(600, |_| Link::Disconnected);
        let times: Vec<u64> = remedies.iter().map(|r| r.0).collect();
        assert_eq!(times[..7], [0, 4, 12, 28, 60, 120, 180]);
        assert!(times.windows(2).skip(5).all(|pair| pair[1] - pair[0] == LONGEST_PAUSE.as_secs()), "{times:?}");
        use Remedy::*;
        let kinds: Vec<Remedy> = remedies.iter().map(|r| r.1).collect();
        assert_eq!(kinds[..5], [Reassociate, Reassociate, Renew, RestartLogin, Reassociate]);
        assert!(said.len() <= 5, "{said:?}");
    }

    #[test]
    fn after_a_return_it_begins_anew() {
        let (remedies, said) =
            course(700, |s| if (100..200).contains(&s) || s >= 600 { Link::Disconnected } else { Link::Connected });
        let after: Vec<_> = remedies.iter().filter(|r| r.0 >= 600).take(2).copied().collect();
        assert_eq!(after[1].0 - after[0].0, FIRST_PAUSE.as_secs());
        assert!(said.iter().any(|line| line.starts_with("the access point is connected again after 10")), "{said:?}");
    }

    #[test]
    fn missing_radio_is_waited_for_and_logged_once() {
        let (remedies, said) = course(3600, |s| if s < 3000 { Link::NoRadio } else { Link::Connected });
        assert_eq!(remedies, []);
        assert_eq!(
            said,
            [
                "this board has no radio; waiting for one",
                "the access point is connected again after 3000 s and 0 tries"
            ]
        );
    }
}
