//! Remote changes of settings in robots' files by an operator, and the robots' answers.

use serde::{Deserialize, Serialize};

/// Maximum length of a settings text (bytes).
pub const MAX_SETTINGS: usize = 16 * 1024;

/// Answer of a robot: acceptance or rejection. It is serialised as the reason for rejection, which is empty for an
/// acceptance.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(from = "String", into = "String")]
pub enum Answer {
    /// The robot accepts.
    #[default]
    Accepted,
    /// The robot rejects; the text is the reason, in one line.
    Refused(String),
}

impl Answer {
    /// Returns the reason for rejection; `None` for an acceptance.
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

/// Robot's answer to new settings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PushAnswer {
    /// Number of the push.
    pub number: u64,
    /// Whether the settings were accepted and written to the file.
    #[serde(rename = "error")]
    pub answer: Answer,
    /// Changed keys that take effect at once.
    pub now: Vec<String>,
    /// Changed keys that take effect at the next experiment.
    pub next_experiment: Vec<String>,
    /// Changed keys that take effect at the next start of the robot's program.
    pub next_start: Vec<String>,
}

/// State of a push of settings for one robot.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct PushRow {
    /// Robot id.
    pub robot: String,
    /// Answer of the robot; `None` before the answer arrives.
    pub answer: Option<PushAnswer>,
}
