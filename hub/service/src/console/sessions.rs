//! Login state of the console: challenges, one-time links and sessions. Their number and their lifetime are limited.
//! The module is a plain state machine; the caller supplies the time and the random tokens.

use sha2::{Digest, Sha256};
use xpuck_wire::keyring::{Holder, Role};
use xpuck_wire::keys::{Key, verify};
use xpuck_wire::signed::{hex, unhex};

/// Lifetime of a challenge (s).
const CHALLENGE: f64 = 60.0;
/// Lifetime of a one-time link (s).
const LINK: f64 = 600.0;
/// Maximum duration of a session (s).
const SESSION: f64 = 12.0 * 3600.0;
/// Idle time after which a session ends (s).
const IDLE: f64 = 2.0 * 3600.0;
/// Maximum number of sessions per person, and of unused links per person. Further sessions and links are rejected
/// rather than replacing valid ones. Therefore no person can displace the sessions of another person.
const MOST: usize = 64;
/// Maximum number of challenges that one person may answer within [`CHALLENGE`]. Answered challenges are stored for
/// this time, so that each challenge is accepted only once.
const ANSWERS: usize = 256;
/// Prefix of the signed bytes. Because of it, a signature made for another purpose is not valid for a login.
const PURPOSE: &str = "xpuck console 1\n";

/// Person who is logged in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    /// Name of the person.
    pub name: String,
    /// Role of the person, which defines the permissions.
    pub role: Role,
    /// Key with which the person logged in; `None` for a one-time link.
    pub key: Option<Key>,
}

impl Person {
    /// Returns whether name and role are equal. The kind of login is ignored.
    fn same_person(&self, other: &Person) -> bool {
        (&self.name, self.role) == (&other.name, other.role)
    }
}

#[derive(Clone, Debug)]
struct Session {
    token: String,
    person: Person,
    began: f64,
    asked: f64,
}

/// Reason for a rejected login.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The challenge is too old, was already answered, or comes from another hub.
    #[error("the login took too long; try again")]
    Challenge,
    /// The signature has an invalid form.
    #[error("the signature is invalid; it must be 128 hexadecimal digits")]
    Signature,
    /// The challenge was not signed with any key enrolled under this name. An unknown name leads to the same error,
    /// so that strangers cannot find out which names are enrolled.
    #[error("the signature does not match a key enrolled under this name; enrol the .pub file with `xpuck keys enrol`")]
    Unknown,
    /// The signature is valid, but the key belongs to a robot.
    #[error("this is the key of a robot; log in with the key of an operator or an observer")]
    Robot,
    /// The person already has the maximum number of sessions or links.
    #[error(
        "you already have {MOST}; log out elsewhere, or wait: a link expires after ten minutes, an idle session after \
         two hours"
    )]
    TooMany,
    /// The person has logged in too often within a minute.
    #[error("too many logins; at most {ANSWERS} per minute are allowed; wait a minute")]
    RateLimited,
    /// The link is too old or was already used.
    #[error("this link was already used or has expired; get a new one with `xpuck swarm console`")]
    Link,
}

/// Store of sessions, unused links and answered challenges.
#[derive(Debug, Default)]
pub struct Sessions {
    /// Secret with which this console authenticates its challenges. Open challenges are not stored, so that requests
    /// for many challenges cannot displace those of other persons.
    secret: String,
    /// Answered challenges, each with the person and the time of the answer (s).
    answered: Vec<(String, Person, f64)>,
    links: Vec<(String, Person, f64)>,
    sessions: Vec<Session>,
}

/// Compares two texts in constant time.
fn same(a: &str, b: &str) -> bool {
    a.len() == b.len() && a.bytes().zip(b.bytes()).fold(0, |differ, (a, b)| differ | (a ^ b)) == 0
}

/// Returns the bytes to sign as the answer to a challenge. `host` is the host name under which the browser addresses
/// the console.
pub fn signed_bytes(host: &str, challenge: &str) -> Vec<u8> {
    format!("{PURPOSE}{host}\n{challenge}").into_bytes()
}

impl Sessions {
    /// Creates a store without sessions. `secret` must be random and private.
    pub fn new(secret: String) -> Sessions {
        Sessions { secret, ..Sessions::default() }
    }

    /// Creates a challenge at the time `now` (s). `token` makes the challenge unique.
    pub fn challenge(&self, now: f64, token: &str) -> String {
        let given = format!("{}.{token}", now as u64);
        format!("{given}.{}", self.mark(&given))
    }

    /// Computes the authentication code of a challenge. Only this console can compute it, because it depends on the
    /// secret.
    fn mark(&self, given: &str) -> String {
        hex(&Sha256::digest(format!("{}\n{given}\n{}", self.secret, self.secret)))
    }

    /// Returns whether this console issued the challenge within the last minute, and the challenge has not been
    /// answered.
    fn is_open(&self, now: f64, challenge: &str) -> bool {
        let Some((given, mark)) = challenge.rsplit_once('.') else { return false };
        let at = given.split_once('.').and_then(|(at, _)| at.parse::<f64>().ok());
        same(&self.mark(given), mark)
            && at.is_some_and(|at| (0.0..=CHALLENGE).contains(&(now - at)))
            && !self.answered.iter().any(|(known, ..)| known == challenge)
    }

    /// Registers a one-time link for a person. `token` is the secret part of the link.
    ///
    /// # Errors
    /// If the person has too many unused links.
    pub fn link(&mut self, now: f64, token: String, person: Person) -> Result<(), Refused> {
        self.links.retain(|(_, _, given)| now - given <= LINK);
        if self.links.iter().filter(|(_, other, _)| other.same_person(&person)).count() >= MOST {
            return Err(Refused::TooMany);
        }
        self.links.push((token, person, now));
        Ok(())
    }

    /// Logs in a person who has signed a challenge. `holders` are the owners of the keys enrolled under the given
    /// name. `token` becomes the token of the session.
    ///
    /// # Errors
    /// If the login is rejected; the error is the reason.
    pub fn answer(
        &mut self,
        now: f64,
        host: &str,
        (challenge, signature): (&str, &str),
        holders: &[Holder],
        token: String,
    ) -> Result<Person, Refused> {
        if !self.is_open(now, challenge) {
            return Err(Refused::Challenge);
        }
        let bytes = signed_bytes(host, challenge);
        let signature = unhex(signature).ok_or(Refused::Signature)?;
        let proved = |holder: &&Holder| verify(&holder.public.ed25519, &bytes, &signature);
        let holder = holders.iter().find(proved).ok_or(Refused::Unknown)?;
        if holder.role == Role::Robot {
            return Err(Refused::Robot);
        }
        let person = Person { name: holder.public.name.clone(), role: holder.role, key: Some(holder.public.ed25519) };
        // Challenges that were answered more than [`CHALLENGE`] ago are removed, because they have expired.
        self.answered.retain(|(_, _, at)| now - at <= CHALLENGE);
        if self.answered.iter().filter(|(_, other, _)| other.same_person(&person)).count() >= ANSWERS {
            return Err(Refused::RateLimited);
        }
        self.begin(now, token, person.clone())?;
        self.answered.push((challenge.to_string(), person.clone(), now));
        Ok(person)
    }

    /// Logs in a person with a one-time link. `token` becomes the token of the session.
    ///
    /// # Errors
    /// If the link is unknown, already used or too old, or the person has too many sessions.
    pub fn login_by_link(&mut self, now: f64, link: &str, token: String) -> Result<Person, Refused> {
        let place = self.links.iter().position(|(known, _, _)| same(known, link)).ok_or(Refused::Link)?;
        let (_, person, given) = self.links.remove(place);
        if now - given > LINK {
            return Err(Refused::Link);
        }
        self.begin(now, token, person.clone())?;
        Ok(person)
    }

    fn begin(&mut self, now: f64, token: String, person: Person) -> Result<(), Refused> {
        self.expire(now);
        if self.sessions.iter().filter(|session| session.person.same_person(&person)).count() >= MOST {
            return Err(Refused::TooMany);
        }
        self.sessions.push(Session { token, person, began: now, asked: now });
        Ok(())
    }

    fn expire(&mut self, now: f64) {
        self.sessions.retain(|session| now - session.began < SESSION && now - session.asked < IDLE);
    }

    /// Returns the person of the session with this token, and the remaining lifetime of the session (s). Returns
    /// `None` if there is no such session. `enrolled` returns whether a person is still enrolled.
    pub fn session_of(&mut self, now: f64, token: &str, enrolled: impl Fn(&Person) -> bool) -> Option<(Person, f64)> {
        self.expire(now);
        let place = self.sessions.iter().position(|session| same(&session.token, token))?;
        if !enrolled(&self.sessions[place].person) {
            self.sessions.remove(place);
            return None;
        }
        let session = &mut self.sessions[place];
        session.asked = now;
        Some((session.person.clone(), SESSION - (now - session.began)))
    }

    /// Ends the session with this token.
    pub fn end(&mut self, token: &str) {
        self.sessions.retain(|session| !same(&session.token, token));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xpuck_wire::keys::Secret;

    fn holder(secret: &Secret, role: Role) -> Holder {
        Holder { role, public: secret.public.clone() }
    }

    fn answer(secret: &Secret, host: &str, challenge: &str) -> String {
        hex(&secret.sign(&signed_bytes(host, challenge)))
    }

    #[test]
    fn proof_of_enrolled_key_grants_one_login() {
        let (alice, mallory) = (Secret::generate("alice").unwrap(), Secret::generate("alice").unwrap());
        let enrolled = [holder(&alice, Role::Operator)];
        let mut sessions = Sessions::new("secret".into());
        let first = sessions.challenge(0.0, "c1");
        let signed = answer(&alice, "hub:7600", &first);
        let login = |sessions: &mut Sessions, now, host, challenge, signature: &str| {
            sessions.answer(now, host, (challenge, signature), &enrolled, format!("t{now}"))
        };
        assert_eq!(login(&mut sessions, 1.0, "hub:7600", "c2", &signed), Err(Refused::Challenge));
        let another = Sessions::new("another hub's".into()).challenge(0.0, "c1");
        let theirs = answer(&alice, "hub:7600", &another);
        assert_eq!(login(&mut sessions, 1.0, "hub:7600", &another, &theirs), Err(Refused::Challenge));
        // The challenge was signed for another host. A man in the middle would obtain such a signature.
        let elsewhere = answer(&alice, "evil:7600", &first);
        assert_eq!(login(&mut sessions, 1.0, "hub:7600", &first, &elsewhere), Err(Refused::Unknown));
        let forged = answer(&mallory, "hub:7600", &first);
        assert_eq!(login(&mut sessions, 1.0, "hub:7600", &first, &forged), Err(Refused::Unknown));
        let nobody = sessions.answer(1.0, "hub:7600", (&first, &forged), &[], "t".into());
        assert_eq!(nobody, Err(Refused::Unknown), "the answer does not reveal which names are enrolled");
        // Many requested challenges do not affect an earlier challenge.
        (0..1000).for_each(|number| drop(sessions.challenge(1.0, &format!("flood {number}"))));
        let person = login(&mut sessions, 2.0, "hub:7600", &first, &signed).unwrap();
        assert_eq!((person.name.as_str(), person.role), ("alice", Role::Operator));
        assert_eq!(login(&mut sessions, 2.0, "hub:7600", &first, &signed), Err(Refused::Challenge), "used");
        let slow = sessions.challenge(3.0, "c5");
        let late = answer(&alice, "hub:7600", &slow);
        assert_eq!(login(&mut sessions, 64.0, "hub:7600", &slow, &late), Err(Refused::Challenge));
        let younger = slow.replacen('3', "9", 1);
        let forged = answer(&alice, "hub:7600", &younger);
        assert_eq!(login(&mut sessions, 64.0, "hub:7600", &younger, &forged), Err(Refused::Challenge));
        let open = sessions.challenge(70.0, "c6");
        for bad in ["", "zz", "00"] {
            assert_eq!(login(&mut sessions, 70.0, "hub:7600", &open, bad), Err(Refused::Signature));
        }
    }

    #[test]
    fn robot_key_is_rejected() {
        let robot = Secret::generate("xp01").unwrap();
        let mut sessions = Sessions::default();
        let given = sessions.challenge(0.0, "c");
        let signed = answer(&robot, "hub", &given);
        let got = sessions.answer(0.0, "hub", (&given, &signed), &[holder(&robot, Role::Robot)], "t".into());
        assert_eq!(got, Err(Refused::Robot));
    }

    #[test]
    fn session_ends_by_age_idle_logout_revocation() {
        let person = Person { name: "alice".into(), role: Role::Operator, key: None };
        let mut sessions = Sessions::default();
        let begin = |sessions: &mut Sessions, now, token: &str| {
            sessions.link(now, format!("link of {token}"), person.clone()).unwrap();
            sessions.login_by_link(now, &format!("link of {token}"), token.into()).unwrap();
        };
        begin(&mut sessions, 0.0, "a");
        assert_eq!(sessions.login_by_link(1.0, "link of a", "b".into()), Err(Refused::Link), "used");
        assert_eq!(sessions.session_of(10.0, "a", |_| true).unwrap().1, SESSION - 10.0);
        assert!(sessions.session_of(10.0, "other", |_| true).is_none());
        assert!(sessions.session_of(10.0 + IDLE, "a", |_| true).is_none(), "silent");
        begin(&mut sessions, 0.0, "b");
        for hour in 0..12 {
            assert!(sessions.session_of(f64::from(hour) * 3600.0, "b", |_| true).is_some(), "{hour}");
        }
        assert!(sessions.session_of(SESSION, "b", |_| true).is_none(), "old");
        begin(&mut sessions, 0.0, "c");
        sessions.end("c");
        assert!(sessions.session_of(0.0, "c", |_| true).is_none());
        begin(&mut sessions, 0.0, "d");
        assert!(
            sessions.session_of(0.0, "d", |_| false).is_none() && sessions.session_of(0.0, "d", |_| true).is_none(),
            "revoked"
        );
        sessions.link(0.0, "old".into(), person.clone()).unwrap();
        assert_eq!(sessions.login_by_link(LINK + 1.0, "old", "e".into()), Err(Refused::Link));
    }

    #[test]
    fn observer_logins_do_not_affect_operator() {
        let (alice, eve) = (Secret::generate("alice").unwrap(), Secret::generate("eve").unwrap());
        let enrolled = |secret: &Secret, role| [holder(secret, role)];
        let (operator, observer) = (enrolled(&alice, Role::Operator), enrolled(&eve, Role::Observer));
        let mut sessions = Sessions::new("secret".into());
        let person = Person { name: "alice".into(), role: Role::Operator, key: None };
        sessions.link(0.0, "unused".into(), person).unwrap();
        let used = sessions.challenge(0.0, "alice's");
        let signed = answer(&alice, "hub", &used);
        sessions.answer(0.0, "hub", (&used, &signed), &operator, "session".into()).unwrap();
        let login = |sessions: &mut Sessions, now: f64, number: usize| {
            let given = sessions.challenge(now, &format!("eve's {number}"));
            let signed = answer(&eve, "hub", &given);
            sessions.answer(now, "hub", (&given, &signed), &observer, format!("e{number}"))
        };
        let refused = (0..300).filter(|number| login(&mut sessions, 1.0, *number) == Err(Refused::TooMany)).count();
        assert_eq!(refused, 300 - MOST);
        let again = sessions.answer(30.0, "hub", (&used, &signed), &operator, "t".into());
        assert_eq!(again, Err(Refused::Challenge), "used stays used");
        // The number of stored answers limits the logins of a person who logs out after each login.
        (0..300).for_each(|number| sessions.end(&format!("e{number}")));
        let mut often = 0;
        for number in 300..300 + 2 * ANSWERS {
            often += usize::from(login(&mut sessions, 100.0, number) == Err(Refused::RateLimited));
            sessions.end(&format!("e{number}"));
        }
        assert_eq!(often, ANSWERS);
        assert!(sessions.session_of(200.0, "session", |_| true).is_some(), "the operator is still there");
        assert!(sessions.login_by_link(200.0, "unused", "by link".into()).is_ok());
    }

    #[test]
    fn links_of_one_person_are_bounded_until_they_are_too_old() {
        let person = Person { name: "a".into(), role: Role::Observer, key: None };
        let mut sessions = Sessions::default();
        let given = (0..2000).filter(|i| sessions.link(0.0, format!("l{i}"), person.clone()).is_ok()).count();
        assert_eq!((given, sessions.links.len()), (MOST, MOST));
        assert_eq!(sessions.link(LINK + 1.0, "later".into(), person), Ok(()));
    }
}
