//! Arbitration between two programs with the key of the same robot. The first program is accepted as long as it sends
//! messages. Hellos and telemetry contain the session of the program that sends them. The sender of all other messages
//! is identified by the connection.

use std::collections::BTreeMap;

/// Duration of silence of the accepted program after which another program may take over (s). By then, the wheels of a
/// robot without messages from the hub have stopped too.
const HOLD: f64 = 1.0;
/// Time for which the first program must continue to send messages after the second program's first message until both
/// programs are known to be running (s). A program that was replaced by a restart sends no further messages.
const PROOF: f64 = 0.5;
/// Duration of silence of the second program after which its next appearance is reported again (s).
const EPISODE: f64 = 10.0;

/// Arbiter that stores the accepted program of each robot.
#[derive(Debug)]
pub struct SessionArbiter {
    held: BTreeMap<String, AcceptedSession>,
    hold: f64,
}

/// Accepted program of a robot.
#[derive(Debug)]
struct AcceptedSession {
    session: u64,
    heard: f64,
    rival: Option<CompetingSession>,
}

/// Second program with the key of a robot.
#[derive(Debug)]
struct CompetingSession {
    since: f64,
    heard: f64,
    told: bool,
}

/// Decision about a message.
#[derive(Debug, PartialEq)]
pub enum Verdict {
    /// The message is accepted. If it proves that two programs with the same key are running, the text is a log line
    /// about them.
    Counts(Option<String>),
    /// The message is rejected, because it is from the second program.
    Refused,
}

impl SessionArbiter {
    /// Creates an arbiter without programs. `speed` is the ratio of arena time to wall time. Robots send messages ten
    /// times per second of arena time. If `speed` is below 1, another program may therefore take over only after a
    /// longer silence.
    pub fn new(speed: f64) -> SessionArbiter {
        SessionArbiter { held: BTreeMap::new(), hold: HOLD.max(HOLD / speed) }
    }

    /// Decides about a message of `robot` at `now` (s of wall time). `session` is the session in the message, if it
    /// contains one. `usual` states whether the message arrived over the connection of the last accepted message.
    pub fn judge(&mut self, now: f64, robot: &str, session: Option<u64>, usual: bool) -> Verdict {
        let Some(held) = self.held.get_mut(robot) else {
            if let Some(session) = session {
                self.held.insert(robot.into(), AcceptedSession { session, heard: now, rival: None });
            }
            return Verdict::Counts(None);
        };
        match session {
            None if !usual => Verdict::Refused,
            Some(session) if session != held.session && now - held.heard <= self.hold => {
                held.challenged(now);
                Verdict::Refused
            }
            Some(session) if session != held.session => {
                *held = AcceptedSession { session, heard: now, rival: None };
                Verdict::Counts(None)
            }
            _ => {
                held.heard = now;
                Verdict::Counts(held.proof(now).then(|| two(robot)))
            }
        }
    }
}

impl AcceptedSession {
    fn challenged(&mut self, now: f64) {
        let episode = self.rival.take().filter(|rival| now - rival.heard <= EPISODE);
        let (since, told) = episode.map_or((now, false), |rival| (rival.since, rival.told));
        self.rival = Some(CompetingSession { since, heard: now, told });
    }

    /// Returns whether both programs are proved to be running. After the method has returned `true`, it returns `false`
    /// until the second program sends a message after a silence of [`EPISODE`].
    fn proof(&mut self, now: f64) -> bool {
        let Some(rival) = &mut self.rival else { return false };
        let both = !rival.told && now - rival.since >= PROOF && now - rival.heard <= EPISODE;
        rival.told |= both;
        both
    }
}

fn two(robot: &str) -> String {
    format!(
        "two programs with the key of robot {robot}: the second is ignored until the first is silent for {HOLD} s; \
         end one of them, or give each robot its own key (`xpuck keys make`)"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    const TOLD: fn(&Verdict) -> bool = |verdict| matches!(verdict, Verdict::Counts(Some(_)));

    #[test]
    fn first_of_two_programs_is_kept_and_conflict_logged_once() {
        let mut rivals = SessionArbiter::new(16.0);
        let mut told = Vec::new();
        for tick in 0..400 {
            let now = f64::from(tick) * 0.1;
            let verdict = rivals.judge(now, "xp01", Some(7), true);
            assert!(matches!(verdict, Verdict::Counts(_)), "at {now}");
            told.extend(TOLD(&verdict).then_some(tick));
            // The second program sends messages from 1 to 10 s, and again from 30 s.
            if (10..100).contains(&tick) || tick >= 300 {
                assert_eq!(rivals.judge(now, "xp01", Some(8), false), Verdict::Refused);
                assert_eq!(rivals.judge(now, "xp01", None, false), Verdict::Refused, "what does not tell its session");
            }
            assert_eq!(rivals.judge(now, "xp01", None, true), Verdict::Counts(None));
            assert_eq!(rivals.judge(now, "xp02", Some(9), true), Verdict::Counts(None), "another robot");
        }
        assert_eq!(told, [15, 305]);
    }

    #[test]
    fn restarted_program_takes_over_silently() {
        let mut rivals = SessionArbiter::new(1.0);
        rivals.judge(0.0, "xp01", Some(7), true);
        assert_eq!(rivals.judge(0.2, "xp01", Some(8), false), Verdict::Refused, "the first may be alive");
        assert_eq!(rivals.judge(1.1, "xp01", Some(8), false), Verdict::Counts(None));
        assert_eq!(rivals.judge(5.0, "xp01", Some(8), false), Verdict::Counts(None), "by a new connection");
        // The first program was suspended, and continues now.
        assert_eq!(rivals.judge(5.1, "xp01", Some(7), false), Verdict::Refused);
        assert!(TOLD(&rivals.judge(5.7, "xp01", Some(8), true)));
    }

    #[test]
    fn at_a_slow_speed_silence_lasts_longer() {
        let mut rivals = SessionArbiter::new(0.1);
        rivals.judge(0.0, "xp01", Some(7), true);
        assert_eq!(rivals.judge(9.0, "xp01", Some(8), false), Verdict::Refused);
        assert_eq!(rivals.judge(10.1, "xp01", Some(8), false), Verdict::Counts(None));
    }
}
