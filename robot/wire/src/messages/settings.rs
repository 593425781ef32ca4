//! What an operator changes in robots' files from afar, and what came of it.

use serde::{Deserialize, Serialize};

/// Longest text of settings, bytes.
pub const MAX_SETTINGS: usize = 16 * 1024;

/// What a robot makes of something that it is given; on its way it is why it refuses, and empty if it does not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(from = "String", into = "String")]
pub enum Answer {
    /// It is accepted.
    #[default]
    Accepted,
    /// It is refused, and why, in one line.
    Refused(String),
}

impl Answer {
    /// Why it is refused, if it is.
    pub fn refusal(&self) -> Option<&str> {
        match self {
            Answer::Accepted => None,
            Answer::Refused(why) => Some(why),
        }
    }
}

impl From<String> for Answer {
    fn from(why: String) -> Answer {
        if why.is_empty() { Answer::Accepted } else { Answer::Refused(why) }
    }
}

impl From<Answer> for String {
    fn from(answer: Answer) -> String {
        match answer {
            Answer::Accepted => String::new(),
            Answer::Refused(why) => why,
        }
    }
}

/// A robot's answer to new settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PushAnswer {
    /// The number of the push.
    pub number: u64,
    /// If accepted, the file has the new settings.
    #[serde(rename = "error")]
    pub answer: Answer,
    /// Keys that count at once.
    pub now: Vec<String>,
    /// Keys that count from the next experiment on.
    pub next_experiment: Vec<String>,
    /// Keys that count from the robot's next start on.
    pub next_start: Vec<String>,
}

/// How a push stands with one robot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PushRow {
    /// The robot.
    pub robot: String,
    /// Its answer; none yet, or it is silent.
    pub answer: Option<PushAnswer>,
}
